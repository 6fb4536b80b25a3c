import { splitAddress, stripTag } from '#/mime/address.ts'
import { withoutComments } from '#/mime/lexical.ts'
import type { Message } from '#/mime/message.ts'
import { isAutomatic } from '#/mime/report.ts'

/** A message that a mailbox might answer by itself, and how it came. */
export interface Answerable {
  readonly message: Pick<Message, 'headers' | 'sender' | 'to' | 'cc'>
  /** The envelope's, to whom the answer would go. */
  readonly sender: string
  readonly folder: string
  readonly spf: string
  readonly dkim: readonly { readonly result: string }[]
  /** What the author's domain asks to be done with mail that is not provably its own. */
  readonly disposition: 'none' | 'quarantine' | 'reject'
}

/** Why the message is not answered; undefined where it may be (RFC 3834, section 2; RFC 5230, section 4.6). `reaches` says
 *  whether an address is the mailbox's. */
export function whyNotAnswered(one: Answerable, reaches: (address: string) => boolean): string | undefined {
  const { sender, folder, spf, dkim, disposition } = one
  const { headers, to, cc } = one.message
  if (sender === '') return 'it has the null sender'
  if ([sender, ...one.message.sender.map(({ address }) => address)].some(isRobot)) return 'a program sent it'
  if (headers.fields.some(({ name }) => name.startsWith('list-'))) return 'it comes from a list'
  if (headers.all('precedence').some((value) => /^(?:bulk|junk|list)$/i.test(withoutComments(value)))) {
    return 'it is bulk mail'
  }
  if (isAutomatic(headers)) return 'it was sent automatically'
  if (headers.count('x-auto-response-suppress') > 0) return 'it asks for no automatic answer'
  if (/^\s*multipart\/report\b/i.test(headers.first('content-type') ?? '')) return 'it is a report'
  if ([sender, ...one.message.sender.map(({ address }) => address)].some(reaches))
    return 'it is from the mailbox itself'
  if (folder === 'junk') return 'it is junk'
  if (![...to, ...cc].some(({ address }) => reaches(address))) return 'neither To nor Cc names the mailbox'
  // Whoever is named as its sender may know nothing of it.
  if (disposition !== 'none') return 'its author is forged'
  if (spf === 'fail' && !dkim.some(({ result }) => result === 'pass')) return 'its sender is forged'
  return undefined
}

const robots =
  /^(?:mailer-daemon|mailer|daemon|listserv|majordomo|mailman|owner-.*|.*-(?:request|owner|bounces?)|(?:.*[-_.])?(?:no|do[-_.]?not|dont)[-_.]?reply.*|bounces?(?:[-+=_.].*)?|srs[01]?[=+-].*)$/i

function isRobot(address: string): boolean {
  const { local } = splitAddress(address) ?? { local: address }
  return robots.test(local) || robots.test(stripTag(local))
}
