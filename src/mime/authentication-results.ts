import { setImmediate as turn } from 'node:timers/promises'
import type { Headers } from './headers.ts'
import { withoutComments } from './lexical.ts'

/** What one check said of a message (RFC 8601, section 2.2). */
export interface CheckResult {
  /** `spf`, `dkim`, `dmarc`, `arc`, `iprev`. */
  readonly method: string
  /** `pass`, `fail`, `none`, … */
  readonly result: string
  readonly reason?: string | undefined
  /** What was checked, by property: `smtp.mailfrom`, `header.d`, `header.from`. May come from the message. */
  readonly properties?: Readonly<Record<string, string | undefined>>
}

/** How much of a field is looked at to find whose it is. */
const LONGEST_VALUE = 10_000
/** Fields looked at in one turn of the event loop: 10 ms at worst. */
const LOOKED_AT_ONCE = 200

/** An Authentication-Results field as whole header lines ending in CRLF. Values that are no tokens or addresses are
 *  quoted, so that nothing from a message can pass for a result. `authservId` is our own host name. */
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

/** What remains of a message, in order, without the Authentication-Results fields that bear our own authserv-id: only we
 *  may say what we found (RFC 8601, section 5). The message as it is where there are none. */
export async function withoutForgedResults(raw: Buffer, headers: Headers, authservId: string): Promise<Buffer[]> {
  const own = authservId.toLowerCase()
  const kept: Buffer[] = []
  let from = 0
  let looked = 0
  for (const field of headers.fields) {
    if (field.name !== 'authentication-results') continue
    if (++looked % LOOKED_AT_ONCE === 0) await turn()
    const value = raw.toString('latin1', field.valueStart, Math.min(field.end, field.valueStart + LONGEST_VALUE))
    if (authservIdOf(value) !== own) continue
    kept.push(raw.subarray(from, field.start))
    from = afterLineBreak(raw, field.end)
  }
  return [...kept, from === 0 ? raw : raw.subarray(from)]
}

/** The first value of the field, out of its quotes, in lower case. */
function authservIdOf(value: string): string {
  const bare = withoutComments(value)
  const inQuotes = /^"((?:[^"\\]|\\.)*)"/s.exec(bare)?.[1]?.replace(/\\(.)/gs, '$1')
  return (inQuotes ?? /^[^\s;]*/.exec(bare)?.[0] ?? '').toLowerCase()
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
  const plain = text
    .slice(0, 200) // 600 octets at most, so that the line stays under 998
    .toWellFormed()
    .replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]/g, ' ')
  return `"${plain.replace(/["\\]/g, '\\$&')}"`
}
