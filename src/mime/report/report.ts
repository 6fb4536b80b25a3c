import { readStructure } from '../body/structure.ts'
import { decodePart } from '../body/transfer-encoding.ts'
import { type Headers, readHeaders } from '../header/headers.ts'
import { withoutComments } from '../header/lexical.ts'
import type { Message } from '../message.ts'

/** Limits in bytes for finding a report in a message, and for reading it. */
const mostLookedAt = 256 * 1024
const mostFields = 16 * 1024

/** Whether Auto-Submitted (RFC 3834, section 5) is anything but `no`. Ignores parameters and comments. */
export function isAutomatic(headers: Headers): boolean {
  return headers.all('auto-submitted').some((value) => {
    const [keyword = ''] = withoutComments(value).split(';')
    return keyword.trim().toLowerCase() !== 'no'
  })
}

/**
 * Whether the message is a report of failed or delayed delivery: RFC 3464 (RFC 6533 with UTF-8 addresses), or an older form that is
 * recognizable, by Exim's field or qmail's first words (QSBMF, https://cr.yp.to/proto/qsbmf.txt).
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
