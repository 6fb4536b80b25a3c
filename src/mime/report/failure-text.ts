import { canonicalAddress } from '../address/address.ts'
import type { Message } from '../message.ts'
import { enhancedCodeIn, line, type Reported } from './reported.ts'

/** The senders of servers' reports. */
const daemon =
  /^(?:mailer-daemon|mailerdaemon|postmaster|daemon|mdaemon|mail-daemon|mail[._-]delivery[._-]?(?:system|subsystem)|mailsubsystem|mail)@/i

/** Texts of such reports; of reports on a delay, which require nothing; and of programs that answer for an absent person. */
const failure =
  /could(?:n.t| not) be (?:delivered|reached|sent)|was(?:n.t| not) able to deliver|unable to deliver|undeliverable|not deliverable|did(?:n.t| not) reach|failed permanently|permanent(?:ly)?(?: \w+)? (?:error|fail)|delivery (?:\w+ )*(?:has )?failed|failed to deliver|delivery failure|returned (?:mail|to sender)|cannot be delivered|not been delivered to|konnte nicht|n'a pas pu|no se pudo|non (?:è|e') stat/i
const delay =
  /has been delayed|is delayed|not yet been delivered|warning message|will (?:be )?(?:continue|keep|retr)|still (?:being )?(?:trying|tried|attempt)|no action is required|temporar(?:y|ily) (?:problem|delay)/i

/** The beginning of the quoted message. */
const quoted =
  /^[ \t>-]*(?:(?<=---) ?(?:below this line|original message|this is a copy|the header of|transcript|returned message|unsent message|message header|enclosed|boundary)|original message (?:follows|headers?)|message headers? follow|your (?:original )?message (?:follows|header|reads)|the (?:original )?message (?:header|text) (?:follows|was)|received: (?:from|by|\())/im

const address = /(?:^|[\s<"'([:;,])([^\s<>"'()[\]:;,\\]+@[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?\.[a-z0-9-]{2,})/gi

/** A server's reply; a date is none. */
const said = /(?:^|[\s:#<(])(?:#?[45]\.\d{1,3}\.\d{1,3}\b|[45]\d\d[ -](?=\D|\d\.))/

const mostText = 16 * 1024

/** The recipients that a report without a machine-readable part says a message has not reached: that of Exim, by its field,
 *  of qmail and similar (QSBMF, https://cr.yp.to/proto/qsbmf.txt), and of servers that say it in words. None if a person
 *  writes, or the message is only late. */
export function failuresInText(
  { headers, sender }: Pick<Message, 'headers' | 'sender'>,
  body: string,
  mostRecipients: number,
): Reported[] {
  const failed = headers
    .all('x-failed-recipients')
    .join(' ')
    .slice(0, mostText)
    .split(/[,\s]+/)
  const named = failed.flatMap((one) => canonicalAddress(one) ?? []).slice(0, mostRecipients)
  const all = body.slice(0, mostText).replace(/<[/a-z!][^<>@]*>/gi, ' ')
  const end = quoted.exec(all)?.index ?? all.length
  const text = all.slice(0, end)
  if (named.length > 0) return named.map((one) => reported(one, text))
  if (!sender.some(({ address }) => daemon.test(address))) return []
  const words = `${headers.text('subject')}\n${text}`
  if (!failure.test(words) || delay.test(words)) return []
  const found = [...new Set(addressesIn(text))].filter((one) => !daemon.test(one)).slice(0, mostRecipients)
  return found.length > 0 ? found.map((one) => reported(one, text)) : [reported(undefined, text)]
}

function addressesIn(text: string): string[] {
  return Array.from(text.matchAll(address), ([, one = '']) => canonicalAddress(one)).filter((one) => one !== undefined)
}

/** With the first server's reply behind the address. */
function reported(name: string | undefined, text: string): Reported {
  const at = name === undefined ? 0 : Math.max(0, text.toLowerCase().indexOf(name))
  const lines = text.slice(at).split(/\r?\n/).slice(0, 12)
  const first = lines.findIndex((one) => said.test(one))
  const diagnostic = first < 0 ? null : line(paragraph(lines.slice(first)))
  const code = enhancedCodeIn(diagnostic ?? '')
  const kind = /(?:^|\D)([45])\d\d[ -]/.exec(diagnostic ?? '')?.[1]
  const status = code ?? (kind === undefined ? null : `${kind}.0.0`)
  return { names: name === undefined ? [] : [name], action: 'failed', status, diagnostic, server: null }
}

/** Up to the first empty line. */
function paragraph(lines: readonly string[]): string {
  const end = lines.findIndex((one) => one.trim() === '')
  return lines
    .slice(0, end < 0 ? lines.length : end)
    .slice(0, 4)
    .join(' ')
}
