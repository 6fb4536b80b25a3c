import type { Message } from '../message.ts'
import { readReport } from './delivery-report.ts'
import { isByServer } from './failure-words.ts'
import { isNotice } from './report-fields.ts'

/** Whether the message is a report of failed or delayed delivery: RFC 3464 (RFC 6533 with UTF-8 addresses), or an older form that a server
 *  sent. */
export function isNonDeliveryReport(message: Pick<Message, 'raw' | 'headers' | 'sender'>): boolean {
  const { headers } = message
  if (headers.count('x-failed-recipients') > 0) return true
  if (!isNotice(headers) && !isByServer(message)) return false
  const report = readReport(message)
  return report?.kind === 'delivery' && report.recipients.some(({ action }) => action !== 'other')
}
