import { isInDomain } from '#/base/text/text.ts'
import { canonicalAddress, canonicalDomain, splitAddress } from '#/formats/mime/address/address.ts'
import type { Verdict } from '#/formats/mime/authentication/verdict.ts'
import type { Message } from '#/formats/mime/message.ts'
import { isRobot, whyUnanswerable } from '#/formats/mime/report/unanswerable.ts'

/** A message that a mailbox might answer automatically, and how it arrived. */
export interface Answerable {
  readonly message: Pick<Message, 'headers' | 'from' | 'sender' | 'to' | 'cc'>
  /** The envelope sender, to whom the answer would go. */
  readonly sender: string
  readonly folder: string
  readonly verdict: Proof & Pick<Verdict, 'disposition'>
}

/** Results that may prove the sender. */
type Proof = Pick<Verdict, 'own'> & {
  readonly spf: Pick<Verdict['spf'], 'result' | 'domain' | 'identity'>
  readonly dkim: readonly Pick<Verdict['dkim'][number], 'result' | 'domain'>[]
}

/** Why the message is not answered; undefined if it may be (RFC 3834, section 2; RFC 5230, section 4.6). `reaches` says
 *  whether an address is one of the mailbox. */
export function whyNotAnswered(one: Answerable, reaches: (address: string) => boolean): string | undefined {
  const { sender, folder, verdict } = one
  const { headers, to, cc } = one.message
  if (sender === '') return 'it has the null sender'
  if ([sender, ...one.message.sender.map(({ address }) => address)].some(isRobot)) return 'a program sent it'
  const header = whyUnanswerable(headers)
  if (header !== undefined) return header
  if ([sender, ...one.message.sender.map(({ address }) => address)].some(reaches))
    return 'it is from the mailbox itself'
  if (folder === 'junk') return 'it is junk'
  if (![...to, ...cc].some(({ address }) => reaches(address))) return 'neither To nor Cc names the mailbox'
  // The named sender may be forged.
  if (verdict.disposition !== 'none') return 'its author is forged'
  return isProven(one) ? undefined : 'nothing proves that its sender sent it'
}

/** Whether the envelope sender, who would get the answer, sent the message. Either SPF passes for that domain, or a
 *  signature of that domain or a parent is valid and From has that address. A signature alone does not prove the envelope:
 *  anybody could send a message of a domain again under another address there. */
function isProven({
  message,
  sender,
  verdict: { own, spf, dkim },
}: Pick<Answerable, 'message' | 'sender' | 'verdict'>) {
  if (own) return true
  const address = canonicalAddress(sender)
  const domain = splitAddress(address ?? '')?.domain
  if (address === undefined || domain === undefined) return false
  if (spf.result === 'pass' && spf.identity === 'mailfrom' && canonicalDomain(spf.domain) === domain) return true
  // A signature covers one From; of several it is unknown which.
  const { headers, from } = message
  if (headers.count('from') !== 1 || canonicalAddress(from?.address ?? '') !== address) return false
  return dkim.some(
    ({ result, domain: signer }) => result === 'pass' && isInDomain(domain, canonicalDomain(signer) ?? ''),
  )
}
