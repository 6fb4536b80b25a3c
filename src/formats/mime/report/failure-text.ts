import { canonicalAddress } from '../address/address.ts'
import { parseAddresses } from '../address/address-list.ts'
import type { Headers } from '../header/headers.ts'
import type { Message } from '../message.ts'
import { isByServer, outcomeIn } from './failure-words.ts'
import { ownWords, quotedRecipients, recipientsNamed } from './named-in-text.ts'
import { enhancedCodeIn, line, type Reported } from './reported.ts'

/** A server's reply; a date is none. */
const said = /(?:^|[\s:#<(])(?:#?[45]\.\d{1,3}\.\d{1,3}\b|[45]\d\d[ -](?=\D|\d\.))/

const mostText = 16 * 1024
const mostAddresses = 100

/** The recipients that a report without a machine-readable part says a message has not reached, or not yet: that of Exim, by its field,
 *  of qmail and similar (QSBMF, https://cr.yp.to/proto/qsbmf.txt), and of servers that say it in words. None if a person writes.
 *  `returned` is the header of the returned message. */
export function failuresInText(
  message: Pick<Message, 'headers' | 'sender'>,
  body: string,
  returned: Headers | undefined,
  mostRecipients: number,
): Reported[] {
  const { headers } = message
  const text = body.slice(0, mostText).replace(/<[/a-z!][^<>@]*>/gi, ' ')
  const own = ownWords(text)
  const outcome = outcomeIn({ subject: headers.text('subject'), text: own })
  const action = outcome ?? 'failed'
  const failed = [...addressesOf(headers, ['x-failed-recipients'])].slice(0, mostRecipients)
  if (failed.length > 1) return failed.map((one) => reported([one], own, action))
  if (failed.length === 0 && (!isByServer(message) || outcome === undefined)) return []
  const original = new Set([...quotedRecipients(text.slice(own.length)), ...addressesOf(returned, ['to', 'cc'])])
  const ours = addressesOf(headers, ['to', 'delivered-to', 'from', 'reply-to'])
  const found = recipientsNamed(text, original, ours).slice(0, mostRecipients)
  const [named = [], ...more] = found
  if (failed.length > 0) {
    // The words and the returned message may call it otherwise.
    const others = more.length === 0 && named.some((name) => original.has(name)) ? named : []
    return [reported([...new Set([...failed, ...others])], own, action)]
  }
  return found.length > 0 ? found.map((names) => reported(names, own, action)) : [reported([], own, action)]
}

function addressesOf(headers: Headers | undefined, names: readonly string[]): Set<string> {
  const values = names.flatMap((name) => headers?.all(name) ?? []).map((value) => value.slice(0, mostText))
  const all = values.flatMap((value) => parseAddresses(value).slice(0, mostAddresses))
  return new Set(all.flatMap(({ address }) => canonicalAddress(address) ?? []))
}

/** With the first server's reply behind the address. */
function reported(names: readonly string[], text: string, action: 'failed' | 'delayed'): Reported {
  const at = Math.max(0, text.toLowerCase().indexOf(names[0] ?? ''))
  const lines = text.slice(at).split(/\r?\n/).slice(0, 12)
  const first = lines.findIndex((one) => said.test(one))
  const diagnostic = first < 0 ? null : line(paragraph(lines.slice(first)))
  const code = enhancedCodeIn(diagnostic ?? '')
  const kind = /(?:^|\D)([45])\d\d[ -]/.exec(diagnostic ?? '')?.[1]
  const status = code ?? (kind === undefined ? null : `${kind}.0.0`)
  return { names, action, status, diagnostic, server: null }
}

/** Up to the first empty line. */
function paragraph(lines: readonly string[]): string {
  const end = lines.findIndex((one) => one.trim() === '')
  return lines
    .slice(0, end < 0 ? lines.length : end)
    .slice(0, 4)
    .join(' ')
}
