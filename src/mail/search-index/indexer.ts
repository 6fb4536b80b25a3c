import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Db } from '#/base/db/schema.ts'
import { Loop } from '#/base/event-loop/loop.ts'
import { collected } from '#/base/event-loop/pieces.ts'
import type { MessageReader } from '#/formats/mime/reader.ts'
import { Gone, octetsOf } from '#/mail/store/octets.ts'
import { indexText } from './index-text.ts'
import { claimUnindexed, readUnindexed, type Unindexed, type Words, writeWords } from './queue.ts'
import { restText } from './rest-text.ts'

/** Messages in a batch, which one statement adds to the index. Meanwhile an embedded database serves nothing else. */
const batchSize = 16
/** The pause between looks for messages, in milliseconds. */
const idleMs = 1_000
/** The pause after a batch, as a multiple of its duration: arriving mail comes first. */
const restFactor = 12
/** After so many processes have died over a message, none of its words are indexed. */
const mostClaims = 5

interface Dependencies {
  readonly db: Db
  readonly reader: MessageReader
  readonly log: Logger
}

/** Indexes stored messages for search, in batches. The queue is a table that processes share. */
export class SearchIndexer extends Loop {
  readonly #parts: Dependencies

  constructor(parts: Dependencies) {
    super({ idleMs, log: parts.log, failed: 'messages could not be indexed; they are tried again' })
    this.#parts = parts
  }

  protected override async rest(more: boolean, ms: number): Promise<void> {
    if (more) await this.pause(restFactor * ms)
  }

  protected override async round(): Promise<boolean> {
    const { db } = this.#parts
    const claimed = await claimUnindexed(db, batchSize)
    if (claimed.length === 0) return false
    const texts: Words[] = []
    for (const one of claimed) {
      texts.push(...(await this.#wordsIn(one)))
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
    if (one.epoch > mostClaims)
      return [{ id, organization_id: organizationId, words: '', rest: '', whole: false, ordered: false }]
    try {
      const raw =
        bytes === null
          ? await collected(octetsOf(db, organizationId, id, { start: 0, end: sizeBytes }), sizeBytes)
          : Buffer.from(bytes, 'base64')
      const texts = await reader.allTexts(raw)
      const words = indexText(await reader.searchable(raw), { organizationId, ...facts }, texts.body)
      return [{ id, organization_id: organizationId, words, ...restText(words, texts) }]
    } catch (error) {
      // It has been deleted meanwhile.
      if (error instanceof Gone) return []
      throw error
    }
  }
}
