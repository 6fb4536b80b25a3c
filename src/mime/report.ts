import { type Headers, readHeaders } from './headers.ts'
import { withoutComments } from './lexical.ts'
import type { Message } from './message.ts'
import { readStructure } from './structure.ts'
import { decodePart } from './transfer-encoding.ts'

/** How much of a message is looked into for what a mail server has to say, and of that, in bytes. */
const mostLookedAt = 256 * 1024
const mostFields = 16 * 1024

/** Whether a program sent it by itself (RFC 3834, section 5): anything but `no`, whatever parameters and comments are
 *  there. */
export function isAutomatic(headers: Headers): boolean {
  return headers.all('auto-submitted').some((value) => {
    const [keyword = ''] = withoutComments(value).split(';')
    return keyword.trim().toLowerCase() !== 'no'
  })
}

/**
 * Whether a mail server tells that a message was not delivered, or not yet: a report of RFC 3464 (RFC 6533 where addresses
 * are UTF-8), or one of the forms before it that have a mark of their own: Exim's field, and qmail's opening words
 * (QSBMF, https://cr.yp.to/proto/qsbmf.txt).
 */
export function isNonDeliveryReport({ raw, headers, sender }: Pick<Message, 'raw' | 'headers' | 'sender'>): boolean {
  if (headers.count('x-failed-recipients') > 0) return true
  const start = raw.subarray(0, mostLookedAt)
  const { bodyStart } = readHeaders(raw)
  const root = readStructure(start, headers, Math.min(bodyStart, start.length))
  if (root.type === 'text/plain') {
    const fromDaemon = sender.some(({ address }) => /^mailer-daemon@/i.test(address))
    return fromDaemon && /^\s*Hi\. This is the\b/.test(decodePart(start, root, mostFields).toString('latin1'))
  }
  if (root.type !== 'multipart/report') return false
  return root.parts
    .filter(({ type }) => type === 'message/delivery-status' || type === 'message/global-delivery-status')
    .some((part) => /^action:\s*(?:failed|delayed)\b/im.test(decodePart(start, part, mostFields).toString('latin1')))
}
