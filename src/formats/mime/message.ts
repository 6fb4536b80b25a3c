import type { Address } from './address/address.ts'
import type { Headers } from './header/headers.ts'

/** A message as it arrived, with the fields that are read once. */
export interface Message {
  readonly raw: Buffer
  readonly headers: Headers
  /** `<…>`, without white space; null if the header has none. */
  readonly messageId: string | null
  /** First strong reference, else the message's own id (docs/reference/threads.md). */
  readonly threadRoot: string | null
  readonly strong: readonly string[]
  readonly weak: readonly string[]
  /** Decoded, one line; empty if there is none. */
  readonly subject: string
  /** The first author of the last From who has an address, else the first. */
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
