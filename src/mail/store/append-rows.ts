import { setImmediate as nextTurn } from 'node:timers/promises'
import { storable } from '#/base/text/text.ts'
import { headerFacts } from '#/formats/mime/header/header-facts.ts'
import { type IdHashKey, idHash, idHashes } from '#/formats/mime/id-hash.ts'
import type { Message } from '#/formats/mime/message.ts'
import type { Copy } from './copy-to-append.ts'
import { normalKeywords } from './normal-keywords.ts'
import { isLarge } from './octets.ts'

/** Recipients in To that lists show: a page of messages must not have megabytes. */
const mostRecipients = 100
/** Addresses in From and Sender that are stored apart from the header. */
const mostSenders = 10

/** The contents of a batch of copies: each message once for each organization, with all bytes in one buffer, except those of
 *  large messages. */
export class Contents {
  readonly rows: ContentRow[] = []
  /** Rows whose bytes are stored separately, with those bytes. */
  readonly large: { readonly row: ContentRow; readonly raw: Buffer }[] = []
  readonly #bytes: Buffer[] = []
  #length = 0
  readonly #known = new Map<Message, Map<string, ContentRow>>()

  /** Counts a copy and answers the number of its content. */
  add({ mailbox: { organizationId }, message }: Copy): number {
    const held = this.#known.get(message) ?? new Map<string, ContentRow>()
    this.#known.set(message, held)
    let row = held.get(organizationId)
    if (!row) {
      const { raw } = message
      const large = isLarge(raw)
      row = contentRow(this.rows.length, organizationId, message, large ? undefined : this.#length)
      held.set(organizationId, row)
      this.rows.push(row)
      if (large) this.large.push({ row, raw })
      else {
        this.#bytes.push(raw)
        this.#length += raw.length
      }
    }
    row.copies += 1
    return row.number
  }

  bytes(): Buffer {
    const [first] = this.#bytes
    return first && this.#bytes.length === 1 ? first : Buffer.concat(this.#bytes, this.#length)
  }
}

type ContentRow = ReturnType<typeof contentRow>

/** `start` is where the message's bytes begin in the buffer, if they are there. */
function contentRow(number: number, organizationId: string, message: Message, start: number | undefined) {
  return {
    number,
    /** The id, if it must be known before the row is stored. */
    given: null as number | null,
    organization_id: organizationId,
    copies: 0,
    start: start === undefined ? null : start + 1,
    size_bytes: message.raw.length,
    message_id: stored(message.messageId),
    thread_root: stored(message.threadRoot),
    subject: stored(message.subject),
    from_name: stored(message.from?.name),
    from_address: stored(message.from?.address),
    recipients: message.to
      .slice(0, mostRecipients)
      .map(({ name, address }) => ({ name: stored(name), address: stored(address) })),
    has_attachment: message.hasAttachment,
    preview: stored(message.preview),
    facts: { ...headerFacts(message.raw, message.headers), ...storedSenders(message), ...groupsIn(message) },
  }
}

/** Everyone in From and Sender, for filters that go through stored mail: empty if that is the author alone, who has columns.
 *  Of a message with more senders than real ones have, the header is read. */
function storedSenders({ from, sender }: Message) {
  const [one] = sender
  const alone = sender.length === (from ? 1 : 0) && one?.name === from?.name && one?.address === from?.address
  if (alone) return { senders: [] }
  if (sender.length > mostSenders) return {}
  return { senders: sender.map(({ name, address }) => ({ name: stored(name), address: stored(address) })) }
}

/** The fields that may have groups (RFC 5322, section 3.4), if any, for SEARCH of IMAP, which finds their names. */
function groupsIn({ headers }: Message) {
  const groups = ['from', 'to'].filter((name) => headers.all(name).some((value) => value.includes(':')))
  return groups.length > 0 ? { groups } : {}
}

/** The ids of a message and those that it names, as stored: hashed, in hexadecimal. */
export interface HashedIds {
  readonly own: string | null
  readonly strong: string
  readonly weak: string
}

export async function hashIds(key: IdHashKey, { messageId, strong, weak }: Message): Promise<HashedIds> {
  return {
    own: messageId === null ? null : hex(idHash(key, messageId)),
    strong: hex(await hashAll(key, strong)),
    weak: hex(await hashAll(key, weak)),
  }
}

/** Ids that are hashed at once: 3 to 5 ms. A message may have 100,000. */
const hashedAtOnce = 5_000

async function hashAll(key: IdHashKey, ids: readonly string[]): Promise<Buffer> {
  if (ids.length <= hashedAtOnce) return idHashes(key, ids)
  const hashes: Buffer[] = []
  for (let at = 0; at < ids.length; at += hashedAtOnce) {
    await nextTurn()
    hashes.push(idHashes(key, ids.slice(at, at + hashedAtOnce)))
  }
  return Buffer.concat(hashes)
}

export type MessageRow = ReturnType<typeof messageRow>

/** `place` is the number of its folder, and how many of these copies come before it. */
export function messageRow(copy: Copy, ids: HashedIds, content: number, place: { folder: number; nth: number }) {
  const { message } = copy
  return {
    content,
    ...place,
    received_at: copy.receivedAt,
    size_bytes: message.raw.length,
    seen: copy.seen,
    flagged: copy.flagged,
    answered: copy.answered ?? false,
    forwarded: copy.forwarded ?? false,
    // Few messages have them, and a row without is shorter.
    ...(copy.deleted && { deleted: true }),
    ...(copy.draft && { draft: true }),
    ...(copy.unlessThere !== undefined && { yields: true }),
    keywords: normalKeywords(copy.keywords),
    sender: stored(message.from?.address.toLowerCase()) ?? '',
    id_hash: ids.own,
    strong: ids.strong,
    weak: ids.weak,
    filtered_by: copy.filteredBy.length > 0 ? copy.filteredBy : null,
  }
}

/** One hostile header must not fail a whole batch. */
function stored(text: string | null | undefined): string | null {
  return text ? storable(text) : (text ?? null)
}

function hex(bytes: Buffer): string {
  return `\\x${bytes.toString('hex')}`
}
