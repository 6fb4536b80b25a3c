import { messageDate } from '#/mime/date.ts'
import type { Message } from '#/mime/message.ts'
import { bareReceivedField } from '#/mime/trace.ts'

/** A message as it is to go. */
export interface Completed {
  readonly raw: Buffer[]
  /** Fields that no recipient may see, and the sender may: they go into Sent alone. */
  readonly secret: Buffer[]
  /** `<…>` */
  readonly messageId: string
}

/** Who takes a message on, when, and under which id. */
export interface Taker {
  readonly hostname: string
  readonly protocol: string
  readonly id: string
  readonly at: Date
}

/** Named to nobody (RFC 5322, section 3.6.3), and what the last server on the way writes anew (RFC 5321, section 4.4). */
const secret = new Set(['bcc', 'resent-bcc'])
const notOurs = new Set(['return-path'])

/** The message without its Bcc, with the Date and the Message-ID that it may lack (RFC 6409, sections 8.2 and 8.3), behind a
 *  trace of ours, which says nothing of where its author is. All else stays as it came. */
export function completeMessage(message: Message, newId: string, { hostname, protocol, id, at }: Taker): Completed {
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
