import { sql } from 'kysely'
import type { Logger } from 'pino'
import { LeaseLost } from '#/base/db/leases.ts'
import type { Db, Tx } from '#/base/db/schema.ts'
import type { SharedTime } from '#/base/db/time.ts'
import { Failed, togetherOrEach } from '#/base/event-loop/batching.ts'
import { Loop } from '#/base/event-loop/loop.ts'
import { collected, joined } from '#/base/event-loop/pieces.ts'
import type { SealingKey } from '#/base/secrets/seal.ts'
import { parseMailbox } from '#/formats/mime/address/address.ts'
import type { IdHashKey } from '#/formats/mime/id-hash.ts'
import type { MessageReader } from '#/formats/mime/reader.ts'
import { octetsInOnePiece, type QueuedMessage, queuedOctets } from '#/out/queue/message.ts'
import { claimPendingCopies, markCopiesStored, type PendingCopy } from '#/out/queue/pending-copies.ts'
import { openedFields } from '#/out/queue/sealed.ts'
import { bccField, commentsField, type SentCopy, storeCopies } from './sent-copy.ts'

/** How often to look for copies that failed, or that another process had in hand when it died, in milliseconds. */
const idleMs = 2_000

/** When to retry storing a copy, and when another worker stores one whose process died, in milliseconds. */
const untilNext = 20_000

/** How long copies at most wait for messages that are being sent, in milliseconds. */
const mostHeldMs = 30_000

export interface PendingCopiesDependencies {
  readonly db: Db
  readonly idKey: IdHashKey
  readonly time: SharedTime
  readonly reader: MessageReader
  /** The key that opens queued mail. */
  readonly mailKey: SealingKey
  readonly log: Logger
}

/** Stores pending Sent copies of scheduled messages that are delivered to a recipient. */
export class PendingCopies extends Loop {
  readonly #deps: PendingCopiesDependencies
  #held: PromiseWithResolvers<void> | undefined

  constructor(deps: PendingCopiesDependencies) {
    super({ idleMs, log: deps.log, failed: 'pending Sent copies could not be read; they are read again' })
    this.#deps = deps
  }

  /** Gives precedence to sending: no copy is stored until the result is disposed, or a time limit. */
  hold(): Disposable {
    const held = Promise.withResolvers<void>()
    this.#held = held
    const timer = setTimeout(held.resolve, mostHeldMs)
    return {
      [Symbol.dispose]: () => {
        clearTimeout(timer)
        held.resolve()
      },
    }
  }

  /** Stores the copy of a failed message whose delivery is ambiguous, in the transaction in which it fails. */
  async storeAmbiguous(tx: Tx, message: QueuedMessage, warning: string): Promise<void> {
    const { idKey, mailKey } = this.#deps
    const { id, organizationId, sizeBytes } = message
    const { rows } = await sql<Pick<PendingCopy, 'fields'>>`
      select fields from outbound_messages
      where organization_id = ${organizationId} and id = ${id}`.execute(tx)
    if (!rows[0]) return
    const raw = await collected(queuedOctets(tx, mailKey, id), sizeBytes)
    const copy = await this.#copyOf({ ...message, ...rows[0] }, raw, commentsField(warning))
    if (copy) await storeCopies(tx, idKey, [{ ...copy, ambiguous: true }])
  }

  /** Stores some. False if none is due. */
  protected override async round(): Promise<boolean> {
    await this.#held?.promise
    if (this.stopping.aborted) return false
    const { db, time } = this.#deps
    const now = await time(db)
    const pending = await claimPendingCopies(db, now, new Date(now.getTime() + untilNext))
    if (pending.length > 0) await this.#store(pending)
    return pending.length > 0
  }

  /** In one transaction, if none of them cannot be read or stored. */
  async #store(pending: readonly PendingCopy[]): Promise<void> {
    const { db, idKey, log } = this.#deps
    const stored = await togetherOrEach(pending, async (some) => {
      const copies = await this.#read(some)
      const ids = some.map(({ id }) => id)
      await db.transaction().execute(async (tx) => {
        // Folders first, then the queue: the order in which the removal of a mailbox locks them.
        await storeCopies(tx, idKey, copies)
        if (!(await markCopiesStored(tx, ids))) throw new LeaseLost()
      })
      return ids
    })
    for (const [at, one] of stored.entries()) {
      if (!(one instanceof Failed)) continue
      const [err, message] = [one.error, pending[at]?.id]
      if (err instanceof LeaseLost) log.warn({ message }, 'another worker has stored the copy in Sent')
      else this.noteError(err, 'the copy in Sent could not be stored; it is tried again in 20 seconds', { message })
    }
  }

  /** Without those whose mailbox is deleted. */
  async #read(pending: readonly PendingCopy[]): Promise<readonly SentCopy[]> {
    const { db, mailKey } = this.#deps
    const octets = await octetsInOnePiece(db, mailKey, pending)
    const copies = await Promise.all(
      pending.map(async (one) => {
        const raw = octets.get(one.id) ?? (await collected(queuedOctets(db, mailKey, one.id), one.sizeBytes))
        return await this.#copyOf(one, raw)
      }),
    )
    return copies.flatMap((copy) => copy ?? [])
  }

  /** The copy, with Bcc. Undefined if its mailbox is deleted. */
  async #copyOf(pending: PendingCopy, raw: Buffer, comments = ''): Promise<SentCopy | undefined> {
    const { id, organizationId, mailboxId, queuedAt, fields } = pending
    if (mailboxId === null) return undefined
    const { reader, mailKey } = this.#deps
    const { bcc } = openedFields(mailKey, id, fields)
    const front = Buffer.from(comments + bccField(bcc.map((one) => parseMailbox(one)?.address ?? one)))
    const message = await reader.message(await joined([front, raw]))
    return { mailbox: { organizationId, mailboxId }, message, sentAt: queuedAt }
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    const stopped = super[Symbol.asyncDispose]()
    this.#held?.resolve()
    await stopped
  }
}
