import { Worker } from 'node:worker_threads'
import { joined } from '#/bytes.ts'
import { attachmentBytes, type Content, readContent } from './content.ts'
import { Headers } from './headers.ts'
import { type Message, readMessage } from './message.ts'
import type { ReadAttachment, ReadContent, ReadMessage, tasks } from './reader-tasks.ts'
import type { Outcome, Task } from './reader-thread.ts'

/** A larger message is read in a thread of its own. To read as much takes up to 5 ms here; a message of 25 MiB takes up to
 *  70 as it arrives, and a second to be opened. */
const largeBytes = 256 * 1024

/** What a message says; the texts of a large one as JSON in UTF-8, since writing it would take as long as reading them. */
export type OpenedContent = Content | ReadContent

/** Reads messages without holding the event loop, however large they are and whatever is in them. The thread starts with
 *  the first large message and reads one after the other. */
export class MessageReader implements AsyncDisposable {
  #thread: Thread | undefined

  async message(raw: Buffer): Promise<Message> {
    if (raw.length <= largeBytes) return readMessage(raw)
    const shared = await inSharedMemory(raw)
    const { fields, complete, strong, weak, ...message } = (await this.#run('message', shared)) as ReadMessage
    const ids = { strong: idsIn(strong), weak: idsIn(weak) }
    return { ...message, ...ids, raw: shared, headers: new Headers(shared, fields, complete) }
  }

  async content(raw: Buffer): Promise<OpenedContent> {
    if (raw.length <= largeBytes) return readContent(raw)
    return (await this.#run('content', await inSharedMemory(raw))) as ReadContent
  }

  /** Undefined where the message has no attachment of that id. */
  async attachment(raw: Buffer, id: string): Promise<ReturnType<typeof attachmentBytes>> {
    if (raw.length <= largeBytes) return attachmentBytes(raw, id)
    const found = (await this.#run('attachment', await inSharedMemory(raw), id)) as ReadAttachment | undefined
    return found && { ...found, bytes: Buffer.from(found.bytes.buffer) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread?.end()
  }

  #run(name: keyof typeof tasks, raw: Buffer, id = ''): Promise<unknown> {
    if (!this.#thread || this.#thread.ended) this.#thread = new Thread()
    return this.#thread.run(name, raw, id)
  }
}

function idsIn(text: string): string[] {
  return text === '' ? [] : text.split(' ')
}

function inSharedMemory(raw: Buffer): Buffer | Promise<Buffer> {
  return raw.buffer instanceof SharedArrayBuffer ? raw : joined([raw])
}

/** One life of the reader's thread. It keeps the process running only while there is something to read. */
class Thread {
  ended = false
  readonly #worker = new Worker(new URL('./reader-thread.ts', import.meta.url), { name: 'reader' })
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>()
  #count = 0

  constructor() {
    this.#worker.on('message', (outcome: Outcome) => this.#settle(outcome))
    // Out of memory, say: then the next message gets another thread.
    this.#worker.on('error', (error) => this.#fail(error))
    this.#worker.on('exit', () => this.#fail(new Error('The thread that reads messages has ended')))
    this.#worker.unref()
  }

  run(name: Task['name'], raw: Buffer, id: string): Promise<unknown> {
    const task: Task = { number: this.#count++, name, raw, id }
    const promised = Promise.withResolvers<unknown>()
    this.#waiting.set(task.number, promised)
    this.#worker.ref()
    this.#worker.postMessage(task)
    return promised.promise
  }

  async end(): Promise<void> {
    await this.#worker.terminate()
  }

  #settle(outcome: Outcome): void {
    const promised = this.#waiting.get(outcome.number)
    this.#waiting.delete(outcome.number)
    if (this.#waiting.size === 0) this.#worker.unref()
    if ('error' in outcome) promised?.reject(outcome.error)
    else promised?.resolve(outcome.result)
  }

  #fail(error: unknown): void {
    this.ended = true
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }
}
