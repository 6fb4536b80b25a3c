import type { Message } from '#/mime/message.ts'
import { isAutomatic, isNonDeliveryReport } from '#/mime/report.ts'

/** What the sender of a forwarded message takes, which stands for its author. */
export const REPORTS_ALONE = [550, '5.7.1', 'That address takes reports of non-delivery alone'] as const

/** Whether a message may go back to an author whose mail was forwarded: what a mail server reports or a program answers,
 *  so that nobody can write to others through us. */
export function mayReturn(message: Message): boolean {
  return isAutomatic(message.headers) || isNonDeliveryReport(message)
}
