import type { Authors } from '#/formats/mime/address/authors.ts'
import type { Message } from '#/formats/mime/message.ts'
import { isNonDeliveryReport } from '#/formats/mime/report/report.ts'
import { isAutomatic } from '#/formats/mime/report/report-fields.ts'

/** For a rewritten sender as a recipient. */
export const REPORTS_ALONE = [550, '5.7.1', 'This address accepts delivery status notifications only'] as const

/** Whether a message may be returned to the author of a forwarded one: only bounces and automatic replies, so that the
 *  rewritten sender is no open relay. */
export function mayReturn(message: Message): boolean {
  return isAutomatic(message.headers) || isNonDeliveryReport(message)
}

/** Whether a server's notice of non-delivery names no author's domain, so that none can have been forged: DragonFly's mail agent writes
 *  `From: MAILER-DAEMON <>`. */
export function isNamelessNotice(sender: string, message: Message, { domains }: Pick<Authors, 'domains'>): boolean {
  return sender === '' && domains.length === 0 && isNonDeliveryReport(message)
}
