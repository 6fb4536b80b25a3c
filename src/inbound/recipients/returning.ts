import type { Message } from '#/mime/message.ts'
import { isAutomatic, isNonDeliveryReport } from '#/mime/report/report.ts'

/** For a rewritten sender as a recipient. */
export const REPORTS_ALONE = [550, '5.7.1', 'This address accepts delivery status notifications only'] as const

/** Whether a message may be returned to the author of a forwarded one: only bounces and automatic replies, so that the
 *  rewritten sender is no open relay. */
export function mayReturn(message: Message): boolean {
  return isAutomatic(message.headers) || isNonDeliveryReport(message)
}
