import { bufferOf, joined } from '#/base/event-loop/pieces.ts'
import { WorkerThread } from '#/base/event-loop/worker-thread.ts'
import { type DkimResult, type LookUp, unverified, verifySignatures } from './authentication/dkim.ts'
import { attachmentBytes, type Content, readContent } from './body/content.ts'
import { type AllTexts, allTexts, holdsTexts, type Sought } from './body/holds-texts.ts'
import { messageNames } from './body/names-address.ts'
import { type Opened, readOpened } from './body/opened.ts'
import { readSearchable, type Searchable } from './body/searchable.ts'
import { readEntity } from './entity/entity.ts'
import { Headers } from './header/headers.ts'
import type { Message } from './message.ts'
import { readMessage } from './read-message.ts'
import type { ReadAttachment, ReadContent, Reading, ReadMessage, ReadOpened } from './reader-thread.ts'

/** A larger message is read in a worker thread. This size takes up to 20 ms; 25 MiB takes up to 70 ms on arrival, and a second to be
 *  opened. */
const largeBytes = 128 * 1024

/** The content of a message. The texts of a large one are JSON in UTF-8, since serializing takes as long as reading. */
export type OpenedContent = Content | ReadContent

/** A text of it, parsed. */
export function openedText(text: OpenedContent['text']): string | null {
  return text instanceof Uint8Array ? (JSON.parse(Buffer.from(text).toString()) as string | null) : text
}

/** Reads messages without blocking the event loop: large ones in a worker thread, one at a time. Signatures have another thread,
 *  since verification takes longest. */
export class MessageReader implements AsyncDisposable {
  readonly #thread = new WorkerThread<Reading, unknown>(new URL('./reader-thread.ts', import.meta.url), 'reader')
  readonly #dkim = new WorkerThread<Uint8Array, DkimResult[]>(
    new URL('./authentication/dkim-thread.ts', import.meta.url),
    'dkim',
  )

  async message(raw: Buffer): Promise<Message> {
    if (raw.length <= largeBytes) return readMessage(raw)
    const shared = await inSharedMemory(raw)
    const { fields, complete, certain, charset, strong, weak, ...message } = (await this.#thread.run({
      what: 'message',
      raw: shared,
    })) as ReadMessage
    const ids = { strong: idsIn(strong), weak: idsIn(weak) }
    return { ...message, ...ids, raw: shared, headers: new Headers(shared, fields, complete, certain, charset) }
  }

  async content(raw: Buffer): Promise<OpenedContent> {
    if (raw.length <= largeBytes) return readContent(raw)
    return (await this.#thread.run({ what: 'content', raw: await inSharedMemory(raw) })) as ReadContent
  }

  /** The content for a reader, with a text of every message. */
  async opened(raw: Buffer): Promise<Opened | ReadOpened> {
    if (raw.length <= largeBytes) return readOpened(raw)
    return (await this.#thread.run({ what: 'opened', raw: await inSharedMemory(raw) })) as ReadOpened
  }

  /** What a search looks in. */
  async searchable(raw: Buffer): Promise<Searchable> {
    if (raw.length <= largeBytes) return readSearchable(raw)
    return (await this.#thread.run({ what: 'searchable', raw: await inSharedMemory(raw) })) as Searchable
  }

  /** What a search over IMAP looks in. */
  async allTexts(raw: Buffer): Promise<AllTexts> {
    if (raw.length <= largeBytes) return allTexts(raw)
    return (await this.#thread.run({ what: 'allTexts', raw: await inSharedMemory(raw) })) as AllTexts
  }

  /** What of this the message holds (body/holds-texts.ts). */
  async holds(raw: Buffer, sought: readonly Sought[]): Promise<boolean[]> {
    if (raw.length <= largeBytes) return holdsTexts(raw, sought)
    const shared = await inSharedMemory(raw)
    return (await this.#thread.run({ what: 'holds', raw: shared, sought })) as boolean[]
  }

  /** What IMAP tells of the message's parts, with their decoded lengths: an `Entity` as JSON. */
  async structure(raw: Buffer): Promise<string> {
    if (raw.length <= largeBytes) return JSON.stringify(readEntity(raw, true))
    return (await this.#thread.run({ what: 'structure', raw: await inSharedMemory(raw) })) as string
  }

  /** Whether the HTML of the message names a picture's address. */
  async names(raw: Buffer, address: string): Promise<boolean> {
    if (raw.length <= largeBytes) return messageNames(raw, address)
    return (await this.#thread.run({ what: 'names', raw: await inSharedMemory(raw), id: address })) as boolean
  }

  /** Undefined if the message has no attachment with that id. */
  async attachment(raw: Buffer, id: string): Promise<ReturnType<typeof attachmentBytes>> {
    if (raw.length <= largeBytes) return attachmentBytes(raw, id)
    const read = await this.#thread.run({ what: 'attachment', raw: await inSharedMemory(raw), id })
    const found = read as ReadAttachment | undefined
    return found && { ...found, bytes: bufferOf(found.bytes) }
  }

  /** Verifies the message's DKIM signatures. */
  async signatures({ raw, headers }: Message, lookUp: LookUp): Promise<DkimResult[]> {
    const said = unverified(raw, headers)
    if (said) return said
    if (raw.length <= largeBytes) return verifySignatures(raw, lookUp)
    const asked = ({ name, type }: { name: string; type: string }) => lookUp(name, type)
    return this.#dkim.run(await inSharedMemory(raw), asked)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#thread[Symbol.asyncDispose](), this.#dkim[Symbol.asyncDispose]()])
  }
}

function idsIn(text: string): string[] {
  return text === '' ? [] : text.split(' ')
}

function inSharedMemory(raw: Buffer): Buffer | Promise<Buffer> {
  return raw.buffer instanceof SharedArrayBuffer ? raw : joined([raw])
}
