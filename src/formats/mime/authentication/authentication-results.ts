import { setImmediate as turn } from 'node:timers/promises'
import { withoutControls } from '../charset.ts'
import type { Headers } from '../header/headers.ts'
import { withoutComments } from '../header/lexical.ts'

/** The result of one check of a message (RFC 8601, section 2.2). */
export interface CheckResult {
  /** `spf`, `dkim`, `dmarc`, `arc`, `iprev`. */
  readonly method: string
  /** `pass`, `fail`, `none`, … */
  readonly result: string
  readonly reason?: string | undefined
  /** The checked values by property: `smtp.mailfrom`, `header.d`, `header.from`. They may come from the message. */
  readonly properties?: Readonly<Record<string, string | undefined>>
}

/** Octets of fields looked at in one turn of the event loop. */
const LOOKED_AT_ONCE = 256 * 1024

/** An Authentication-Results field as whole header lines ending in CRLF. All but tokens and addresses is quoted, so that nothing
 *  from a message reads as a result. `authservId` is our host name. */
export function authenticationResultsField(authservId: string, results: readonly CheckResult[]): string {
  const lines = results.map(({ method, result, reason, properties = {} }) => {
    const said = Object.entries(properties).flatMap(([name, value]) =>
      value ? [`${token(name)}=${propertyValue(value)}`] : [],
    )
    const because = reason ? [`reason=${quoted(reason)}`] : []
    return [`${token(method)}=${token(result)}`, ...because, ...said].join('\r\n\t ')
  })
  return `Authentication-Results: ${[token(authservId), ...(lines.length > 0 ? lines : ['none'])].join(';\r\n\t')}\r\n`
}

/** The message in pieces, without Authentication-Results fields that may have our authserv-id: only we may write these (RFC 8601,
 *  section 5). */
export async function withoutForgedResults(raw: Buffer, headers: Headers, authservId: string): Promise<Buffer[]> {
  const own = withoutFinalDot(authservId.toLowerCase())
  const kept: Buffer[] = []
  let from = 0
  let looked = 0
  for (const field of headers.fields) {
    if (field.name !== 'authentication-results') continue
    looked += field.end - field.valueStart
    if (looked > LOOKED_AT_ONCE) {
      looked = 0
      await turn()
    }
    if (!mayBear(raw.toString('latin1', field.valueStart, field.end), own)) continue
    kept.push(raw.subarray(from, field.start))
    from = afterLineBreak(raw, field.end)
  }
  return [...kept, from === 0 ? raw : raw.subarray(from)]
}

/** Whether a reader may find that id first, outside of quotes and comments. Readers differ in how they read unclosed ones. */
function mayBear(value: string, own: string): boolean {
  const bare = withoutComments(value)
  const id =
    /^"((?:[^"\\]|\\[\s\S])*)"/.exec(bare)?.[1]?.replace(/\\([\s\S])/g, '$1') ?? /^[^\s;/]*/.exec(bare)?.[0] ?? ''
  if (/["()]/.test(id)) return plain(value).includes(own)
  // Some readers remove a comment within the name.
  const glued = plain(bare.split(';', 1)[0] ?? '')
  return [id.trim().toLowerCase(), glued].some((one) => withoutFinalDot(one) === own)
}

function plain(text: string): string {
  return text.replace(/[\s"()\\]/g, '').toLowerCase()
}

function withoutFinalDot(name: string): string {
  return name.replace(/\.$/, '')
}

function afterLineBreak(raw: Buffer, end: number): number {
  const next = raw[end] === 0x0d ? end + 1 : end
  return raw[next] === 0x0a ? next + 1 : next
}

function token(text: string): string {
  return text.slice(0, 255).replace(/[^A-Za-z0-9._-]/g, '?')
}

/** A value, an address or a domain (the `pvalue` of section 2.2), else a quoted string. */
function propertyValue(text: string): string {
  return text.length <= 320 && /^[A-Za-z0-9!#$%&'*+.^_`{|}~-]*@?[A-Za-z0-9._-]+$/.test(text) ? text : quoted(text)
}

function quoted(text: string): string {
  // 600 octets at most, so that the line stays under 998.
  const plain = withoutControls(text.slice(0, 200).toWellFormed())
  return `"${plain.replace(/["\\]/g, '\\$&')}"`
}
