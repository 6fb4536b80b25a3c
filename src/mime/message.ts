import type { Address } from './address.ts'
import { parseAddresses } from './address-list.ts'
import { type Headers, readHeaders } from './headers.ts'
import { threadIds } from './references.ts'

/** A message as it arrived, with what is read of it once. */
export interface Message {
  readonly raw: Buffer
  readonly headers: Headers
  /** `<…>`, without white space; null where the header names none. */
  readonly messageId: string | null
  /** First strong reference, else the message's own id (decisions, Threads). */
  readonly threadRoot: string | null
  readonly strong: readonly string[]
  readonly weak: readonly string[]
  /** Decoded, one line; empty where there is none. */
  readonly subject: string
  /** The first author. */
  readonly from: Address | null
  /** Everyone in From and in Sender. */
  readonly sender: readonly Address[]
  readonly to: readonly Address[]
  readonly cc: readonly Address[]
  readonly replyTo: readonly Address[]
  readonly hasAttachment: boolean
  /** The first 140 characters of the text. */
  readonly preview: string
}

/** Reads what is kept of every message. Never throws, whatever the bytes. */
export function readMessage(raw: Buffer): Message {
  const { headers } = readHeaders(raw)
  const addresses = (name: string) => headers.all(name).flatMap((value) => parseAddresses(value))
  const { messageId, root, strong, weak } = threadIds(headers)
  const authors = addresses('from')
  return {
    raw,
    headers,
    messageId,
    threadRoot: root,
    strong,
    weak,
    subject: headers.text('subject'),
    from: authors[0] ?? null,
    sender: [...authors, ...addresses('sender')],
    to: addresses('to'),
    cc: addresses('cc'),
    replyTo: addresses('reply-to'),
    hasAttachment: /^multipart\/mixed/i.test(headers.first('content-type') ?? ''),
    preview: '',
  }
}
