import { canonicalDomain, splitAddress } from '../address/address.ts'
import { withoutComments } from '../header/lexical.ts'
import type { Message } from '../message.ts'
import { isNonDeliveryReport } from './report.ts'
import { isAutomatic } from './report-fields.ts'

/** Whether a person seems to have sent it: no bounce, receipt or automatic reply. */
export function isPersonal(message: Message): boolean {
  const { headers } = message
  if (isAutomatic(headers) || isNonDeliveryReport(message)) return false
  if (/^\s*multipart\/report\b/i.test(headers.first('content-type') ?? '')) return false
  return !headers.all('precedence').some((value) => /^(?:bulk|junk)$/i.test(withoutComments(value)))
}

/** The domains of its authors. */
export function authorDomains({ sender }: Pick<Message, 'sender'>): string[] {
  return sender.flatMap(({ address }) => canonicalDomain(splitAddress(address)?.domain ?? '') ?? [])
}
