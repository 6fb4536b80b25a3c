import { messageDate } from '#/formats/mime/header/date.ts'
import { bareReceivedField } from '#/formats/mime/header/trace.ts'
import type { Message } from '#/formats/mime/message.ts'

/** A message as it will be sent. */
export interface Completed {
  readonly raw: Buffer[]
  /** Fields that no recipient may see. Only the copy in Sent has them. */
  readonly secret: Buffer[]
  /** `<…>` */
  readonly messageId: string
}

/** The values of our `Received` field. */
export interface Received {
  readonly hostname: string
  readonly protocol: string
  readonly id: string
  readonly at: Date
}

/** Removed for all recipients (RFC 5322, section 3.6.3); written by the last server only (RFC 5321, section 4.4). */
const secret = new Set(['bcc', 'resent-bcc'])
const notOurs = new Set(['return-path'])

/** Removes Bcc, adds a missing Date and Message-ID (RFC 6409, sections 8.2 and 8.3), and prepends our `Received`, which does
 *  not reveal the author's address or host. All other octets stay. */
export function completeMessage(message: Message, newId: string, { hostname, protocol, id, at }: Received): Completed {
  const { raw, headers } = message
  const lacking = [
    ...(headers.count('date') === 0 ? [`Date: ${messageDate(at)}\r\n`] : []),
    ...(message.messageId === null ? [`Message-ID: ${newId}\r\n`] : []),
  ]
  const kept: Buffer[] = [Buffer.from(bareReceivedField({ by: hostname, protocol, id, at }) + lacking.join(''))]
  const hidden: Buffer[] = []
  let from = 0
  for (const { name, start, end } of headers.fields) {
    const unnamed = name === 'message-id' && message.messageId === null
    if (!secret.has(name) && !notOurs.has(name) && !unnamed) continue
    kept.push(raw.subarray(from, start))
    from = raw.indexOf('\n', end) + 1 || raw.length
    if (secret.has(name)) hidden.push(raw.subarray(start, from))
  }
  kept.push(raw.subarray(from))
  return { raw: kept, secret: hidden, messageId: message.messageId ?? newId }
}
