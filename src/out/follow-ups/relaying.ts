import { canonicalAddress } from '#/formats/mime/address/address.ts'
import type { Verdict } from '#/formats/mime/authentication/verdict.ts'
import { withoutControls } from '#/formats/mime/charset.ts'
import type { Headers } from '#/formats/mime/header/headers.ts'
import type { Message } from '#/formats/mime/message.ts'

/** The most `Received` fields of a message to forward. The next servers accept more. */
const mostHops = 50

/** Why a message is not forwarded by this mailbox; undefined if it may be. */
export function whyNotRelayed(headers: Headers, mailbox: string, folder: string): string | undefined {
  if (folder === 'junk') return 'it is junk'
  const here = canonicalAddress(mailbox) ?? mailbox
  if (headers.all('delivered-to').some((value) => canonicalAddress(value.replace(/^<|>$/g, '')) === here)) {
    return 'this mailbox has forwarded it before'
  }
  return headers.count('received') > mostHops ? 'it has too many Received fields' : undefined
}

/** The results of DMARC for a message (RFC 9989). */
export interface DmarcResults {
  readonly policy: string
  /** A signature of the author's domain is valid; it stays so when the message is forwarded. */
  readonly dkimAligned: boolean
}

/** Whether anything proves the origin of a message. Only then do we vouch for it with a seal or a signature. */
export function isAuthenticated({ own, spf, dkim, dmarc }: Verdict): boolean {
  if (own) return true
  if (dmarc.result !== 'none') return dmarc.result === 'pass'
  return [spf, ...dkim].some(({ result }) => result === 'pass')
}

/** Whether the next server would reject the message as forged: only SPF proved it, which forwarding breaks. */
export function breaksWhenForwarded({ policy, dkimAligned }: DmarcResults): boolean {
  return !dkimAligned && (policy === 'quarantine' || policy === 'reject')
}

/** The header with the mailbox in From, under the author's name, and the author in Reply-To, unless the message has one.
 *  Other fields stay. The name holds no address but the mailbox's: spam filters take any other for a forged one. */
export function withRewrittenFrom(message: Message, header: Buffer, mailbox: string): Buffer {
  const { headers, from } = message
  const author = from?.address ?? ''
  const name = encoded(`${(from?.name || author).replace(/\s*[@＠]\s*/g, ' at ')} via ${mailbox}`)
  const replies = headers.count('reply-to') > 0 || bare(author) === '' ? '' : `Reply-To: <${bare(author)}>\r\n`
  const fields: Buffer[] = [Buffer.from(`From: ${name} <${mailbox}>\r\n${replies}`)]
  let at = 0
  for (const { name, start, end } of headers.fields) {
    if (name !== 'from') continue
    fields.push(header.subarray(at, start))
    at = header.indexOf('\n', end) + 1 || header.length
  }
  return Buffer.concat([...fields, header.subarray(at)])
}

/** A display name, quoted, or in encoded words (RFC 2047) of at most 75 octets per line. */
function encoded(name: string): string {
  const plain = withoutControls(name).slice(0, 200).toWellFormed()
  if (/^[\x20-\x7e]*$/.test(plain)) return `"${plain.replace(/["\\]/g, '\\$&')}"`
  // Eleven code points have at most 44 octets.
  const words = plain.match(/.{1,11}/gsu) ?? []
  return words.map((word) => `=?utf-8?B?${Buffer.from(word).toString('base64')}?=`).join('\r\n ')
}

/** The address in a form for angle brackets. */
function bare(address: string): string {
  return address.replace(/[\x00-\x20\x7f-\x9f<>\u2028\u2029]/g, '')
}
