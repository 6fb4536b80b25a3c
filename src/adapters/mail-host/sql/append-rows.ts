import { type IdHashKey, idHash, idHashes } from '#/mime/id-hash.ts'
import type { Message } from '#/mime/message.ts'
import type { Copy } from '#/ports/mail-host.ts'
import { normalKeywords } from './keywords.ts'

/** Of To, as far as lists show it: a page of messages must not be megabytes long. */
const mostRecipients = 100

/** What a batch of copies holds in content: each message once for each organization, and all bytes in one piece. */
export class Contents {
  readonly rows: ContentRow[] = []
  readonly #bytes: Buffer[] = []
  #length = 0
  readonly #known = new Map<Message, Map<string, ContentRow>>()

  /** Counts a copy in and answers the number of its content. */
  add({ mailbox: { organizationId }, message }: Copy): number {
    const held = this.#known.get(message) ?? new Map<string, ContentRow>()
    this.#known.set(message, held)
    let row = held.get(organizationId)
    if (!row) {
      row = contentRow(this.rows.length, organizationId, message, this.#length)
      held.set(organizationId, row)
      this.rows.push(row)
      this.#bytes.push(message.raw)
      this.#length += message.raw.length
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

function contentRow(number: number, organizationId: string, message: Message, start: number) {
  return {
    number,
    organization_id: organizationId,
    copies: 0,
    start: start + 1,
    size_bytes: message.raw.length,
    message_id: storable(message.messageId),
    thread_root: storable(message.threadRoot),
    subject: storable(message.subject),
    from_name: storable(message.from?.name),
    from_address: storable(message.from?.address),
    recipients: message.to
      .slice(0, mostRecipients)
      .map(({ name, address }) => ({ name: storable(name), address: storable(address) })),
    has_attachment: message.hasAttachment,
    preview: storable(message.preview),
  }
}

export type MessageRow = ReturnType<typeof messageRow>

export function messageRow(key: IdHashKey, copy: Copy, content: number, folderId: number, uid: number, modseq: number) {
  const { message } = copy
  return {
    content,
    folder_id: folderId,
    uid,
    modseq,
    received_at: copy.receivedAt,
    size_bytes: message.raw.length,
    seen: copy.seen,
    flagged: copy.flagged,
    keywords: normalKeywords(copy.keywords),
    sender: storable(message.from?.address.toLowerCase()) ?? '',
    id_hash: message.messageId === null ? null : hex(idHash(key, message.messageId)),
    strong: hex(idHashes(key, message.strong)),
    weak: hex(idHashes(key, message.weak)),
    filtered_by: copy.filteredBy.length > 0 ? copy.filteredBy : null,
  }
}

/** PostgreSQL holds neither U+0000 nor a lone surrogate, and one hostile header must not fail a whole batch. */
function storable<T extends string | null>(text: T | undefined): T | null {
  return text ? (text.replaceAll('\0', '').toWellFormed() as T) : (text ?? null)
}

function hex(bytes: Buffer): string {
  return `\\x${bytes.toString('hex')}`
}
