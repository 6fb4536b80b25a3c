import { isAddress } from '../address/address.ts'
import { leaves, readStructure } from '../body/structure.ts'
import { decodePart } from '../body/transfer-encoding.ts'
import { type Headers, readHeaders } from '../header/headers.ts'
import { readOwnIds } from '../header/own-ids.ts'
import { type ThreadIds, threadIds } from '../header/references.ts'
import { readReport } from './delivery-report.ts'
import { isDeliveryStatus, isNotice, isReturned, mayBeNotice } from './report-fields.ts'
import type { Reported } from './reported.ts'

/** Octets of a notice that are read. The returned header follows a text and a report. */
export const noticeBytes = 64 * 1024

/** Of one notice. */
const mostRecipients = 50
const mostNames = 4

/** The contents of a notice of non-delivery. Plain JSON, since it is stored. */
export interface Undelivered {
  /** The Message-ID of the returned message. */
  readonly about: string
  readonly recipients: readonly Pick<Reported, 'names' | 'status' | 'diagnostic'>[]
}

/** The ids in the header that a notice returns; undefined if the message is no notice, or returns no header. Takes its first
 *  `noticeBytes`. Never throws. */
function returnedIds(raw: Buffer): ThreadIds | undefined {
  const start = raw.subarray(0, noticeBytes)
  const { headers, bodyStart } = readHeaders(start)
  if (!mayBeNotice(headers)) return undefined
  const parts = [...leaves(readStructure(start, headers, Math.min(bodyStart, start.length)))]
  if (!isNotice(headers) && !parts.some(({ leaf }) => isDeliveryStatus(leaf))) return undefined
  for (const { leaf } of parts) {
    if (!isReturned(leaf)) continue
    return threadIds(readHeaders(decodePart(start, leaf)).headers)
  }
  return undefined
}

/** The ids that connect a message with others: its own, and for a notice those of the returned message. */
export function connectingIds(raw: Buffer, headers: Headers): ThreadIds {
  const named = threadIds(headers)
  const returned = mayBeNotice(headers) ? returnedIds(raw) : undefined
  if (!returned) return named
  const { messageId } = named
  const strong = new Set([...named.strong, ...namedBy(returned).strong])
  const weak = [...new Set([...named.weak, ...namedBy(returned).weak])].filter((id) => !strong.has(id))
  const [root = messageId] = strong
  return { messageId, strong: [...strong], weak, root }
}

/** The ids that identify a message: these and its own. */
function namedBy({ messageId, strong, weak }: ThreadIds): Pick<ThreadIds, 'strong' | 'weak'> {
  if (messageId === null) return { strong, weak }
  return messageId.includes('@') ? { strong: [...strong, messageId], weak } : { strong, weak: [...weak, messageId] }
}

/** The recipients that a message has not reached, by a notice. Undefined if it is none, or does not identify the message. */
export function undelivered(raw: Buffer, given: Headers): Undelivered | undefined {
  if (!mayBeNotice(given)) return undefined
  const start = raw.subarray(0, noticeBytes)
  // Parsed again, since reading the parts sets the charset.
  const { headers } = readHeaders(start)
  // A notice without a returned header may still be an answer to the message.
  const returned = returnedIds(start)
  const about = returned?.messageId ?? (isNotice(headers) || returned ? threadIds(headers).strong.at(-1) : undefined)
  const report = readReport({ raw: start, headers, sender: [] })
  if (about === undefined || report?.kind !== 'delivery') return undefined
  // A relay that replaced the Message-ID returns its own.
  const own = readOwnIds(headers).get(about.toLowerCase()) ?? about
  const recipients = report.recipients
    .filter(({ action }) => action === 'failed')
    .slice(0, mostRecipients)
    .map(({ names, status, diagnostic }) => ({
      names: names.filter(isAddress).slice(0, mostNames),
      status,
      diagnostic,
    }))
  return recipients.length > 0 ? { about: own.replaceAll('\0', '').toWellFormed(), recipients } : undefined
}
