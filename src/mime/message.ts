import type { Address } from './address.ts'
import { parseAddresses } from './address-list.ts'
import { isReferred, sortParts } from './content.ts'
import { type Headers, readHeaders } from './headers.ts'
import { previewOf } from './preview.ts'
import { threadIds } from './references.ts'
import { type Part, readStructure } from './structure.ts'

/** A message as it arrived, with what is read of it once. */
export interface Message {
  readonly raw: Buffer
  readonly headers: Headers
  /** `<…>`, without white space; null where the header names none. */
  readonly messageId: string | null
  /** First strong reference, else the message's own id (docs/reference/threads.md). */
  readonly threadRoot: string | null
  readonly strong: readonly string[]
  readonly weak: readonly string[]
  /** Decoded, one line; empty where there is none. */
  readonly subject: string
  /** The first author, of the last From where there are several. */
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

/** Reads what is kept of every message. Never throws, whatever the bytes, and takes bounded time. */
export function readMessage(raw: Buffer): Message {
  const { headers, bodyStart } = readHeaders(raw)
  const body = sortParts(readStructure(raw, headers, bodyStart))
  const { messageId, root, strong, weak } = threadIds(headers)
  const authors = addressesIn(headers, 'from')
  const [from = null] = headers.count('from') > 1 ? parseAddresses(headers.last('from') ?? '') : authors
  return {
    raw,
    headers,
    messageId,
    threadRoot: root,
    strong,
    weak,
    subject: headers.text('subject').slice(0, LONGEST_SUBJECT).toWellFormed(),
    from,
    sender: [...authors, ...addressesIn(headers, 'sender')],
    to: addressesIn(headers, 'to'),
    cc: addressesIn(headers, 'cc'),
    replyTo: parseAddresses(headers.last('reply-to') ?? ''),
    hasAttachment: hasAttachment(body),
    preview: previewOf(raw, body),
  }
}

/** Whether a message of these parts has something attached to it, as lists show it. */
export function attaches(root: Part): boolean {
  return hasAttachment(sortParts(root))
}

function hasAttachment({ attached }: ReturnType<typeof sortParts>): boolean {
  return attached.some(({ part, within }) => !isReferred(part, within) && !SIGNATURES.has(part.type))
}

/** What is kept of a subject; RFC 5322, section 2.1.1 allows 998 octets in a line. */
const LONGEST_SUBJECT = 2_000

/** What signs a message is part of how it was sent, not something that its reader opens. */
const SIGNATURES = new Set([
  'application/pgp-signature',
  'application/pkcs7-signature',
  'application/x-pkcs7-signature',
])

/** Of every field of that name, since a second To is a fault of the sender, not a reason to lose a recipient. */
function addressesIn(headers: Headers, name: string): Address[] {
  return parseAddresses(headers.all(name).join(',\n'))
}
