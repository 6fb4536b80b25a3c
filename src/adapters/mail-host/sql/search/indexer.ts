import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Db } from '#/db/schema.ts'
import { Refusal } from '#/errors.ts'
import { collected } from '#/event-loop/pieces.ts'
import { StepWorker } from '#/event-loop/step-worker.ts'
import type { MessageReader } from '#/mime/reader.ts'
import { piecesOf } from '../read.ts'
import { indexText } from './index-text.ts'
import { claimUnindexed, readUnindexed, type Unindexed, type Words, writeWords } from './queue.ts'

/** Messages in a batch: what one statement adds to the index while an embedded database serves nobody else. */
const batchSize = 16
/** Between looks for messages, in milliseconds. */
const idleMs = 1_000
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
export class SearchIndexer extends StepWorker {
  readonly #parts: Parts

  constructor(parts: Parts) {
    super({ idleMs, rest, log: parts.log, failed: 'messages could not be indexed; they are tried again' })
    this.#parts = parts
  }

  protected override async step(): Promise<boolean> {
    const { db } = this.#parts
    const claimed = await claimUnindexed(db, batchSize)
    if (claimed.length === 0) return false
    const texts: Words[] = []
    for (const one of claimed) {
      if (one.epoch <= mostClaims) texts.push(...(await this.#wordsIn(one)))
      await nextTurn()
    }
    await writeWords(db, claimed, texts)
    return claimed.length === batchSize
  }

  async #wordsIn(one: Unindexed): Promise<Words[]> {
    const { db, reader } = this.#parts
    const content = await readUnindexed(db, one)
    if (!content) return []
    const { bytes, sizeBytes, ...facts } = content
    const { id, organizationId } = one
    try {
      const raw =
        bytes === null
          ? await collected(piecesOf(db, organizationId, id, sizeBytes), sizeBytes)
          : Buffer.from(bytes, 'base64')
      const words = indexText(await reader.searchable(raw), { organizationId, ...facts })
      return [{ id, organization_id: organizationId, words }]
    } catch (error) {
      // It has gone meanwhile.
      if (error instanceof Refusal) return []
      throw error
    }
  }
}
