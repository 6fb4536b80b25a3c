import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Db } from '#/db/schema.ts'
import { Refusal } from '#/errors.ts'
import { Mutex } from '#/event-loop/mutex.ts'
import { collected } from '#/event-loop/pieces.ts'
import type { MessageReader } from '#/mime/reader.ts'
import { piecesOf } from '../read.ts'
import { claimUnindexed, readUnindexed, type Unindexed, type Vectored, writeVectors } from './queue.ts'
import { vectorOf } from './vector.ts'

/** Messages in a batch: what one statement adds to the index while an embedded database serves nobody else. */
const batchSize = 16
/** While there is nothing to index, in milliseconds. */
const betweenLooks = 1_000
/** After a batch, in times that it took: mail that arrives goes first. */
const rest = 12
/** A message that a process died over so often is left out. */
const mostClaims = 5

interface Parts {
  readonly db: Db
  readonly reader: MessageReader
  readonly log: Logger
}

/** Indexes stored messages for search, some at a time. The queue is a table, and several processes share it. */
export class SearchIndexer implements AsyncDisposable {
  readonly #parts: Parts
  readonly #stop = new AbortController()
  readonly #rounds = new Mutex()
  #running: Promise<void> = Promise.resolve()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Indexes all that waits. */
  async processAll(): Promise<void> {
    while (await this.#rounds.run(() => this.#batch()));
  }

  /** Indexes what comes, until it is disposed of. */
  start(): void {
    this.#running = this.#run()
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      const since = performance.now()
      const more = await this.#rounds
        .run(() => this.#batch())
        .catch((err: unknown) => {
          if (!signal.aborted) this.#parts.log.error({ err }, 'messages could not be indexed; they are tried again')
          return false
        })
      const ms = more ? rest * (performance.now() - since) : betweenLooks
      await pause(ms, undefined, { signal }).catch(() => {})
    }
  }

  /** Whether there may be more. */
  async #batch(): Promise<boolean> {
    const { db } = this.#parts
    const claimed = await claimUnindexed(db, batchSize)
    if (claimed.length === 0) return false
    const vectors: Vectored[] = []
    for (const one of claimed) {
      if (one.epoch <= mostClaims) vectors.push(...(await this.#vector(one)))
      await nextTurn()
    }
    await writeVectors(db, claimed, vectors)
    return claimed.length === batchSize
  }

  async #vector(one: Unindexed): Promise<Vectored[]> {
    const { db, reader } = this.#parts
    const content = await readUnindexed(db, one)
    if (!content) return []
    const { bytes, sizeBytes, messageId, mailboxIds } = content
    const { id, organizationId } = one
    try {
      const raw =
        bytes === null
          ? await collected(piecesOf(db, organizationId, id, sizeBytes), sizeBytes)
          : Buffer.from(bytes, 'base64')
      const words = vectorOf(await reader.searchable(raw), { organizationId, mailboxIds, messageId })
      return [{ id, organization_id: organizationId, words }]
    } catch (error) {
      // It has gone meanwhile.
      if (error instanceof Refusal) return []
      throw error
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#running
    await this.#rounds.run(async () => {})
  }
}
