import type { Db, Tx } from '#/base/db/schema.ts'
import { batched, togetherOrEach } from '#/base/event-loop/batching.ts'
import type { IdHashKey } from '#/formats/mime/id-hash.ts'
import { appendNew } from '#/mail/store/append.ts'
import { appendCopies } from '#/mail/store/append-copies.ts'
import type { Arrival } from '#/mail/store/arrivals.ts'
import { noteArrivals, Suspended } from '#/mail/store/arrivals.ts'
import type { Copy } from '#/mail/store/copy-to-append.ts'
import type { FollowUp } from '#/out/follow-ups/follow-ups.ts'

/** A message with its copies. */
export interface Delivery {
  readonly copies: readonly Copy[]
  /** Identifies duplicates. */
  readonly digest: Buffer
  /** Follow-ups of a stored copy. None if the mailbox has had the message. */
  readonly followUps?: readonly FollowUp[]
}

/** The limits of one transaction. Batches grow with the load: messages wait while another batch is written. */
const MOST_DELIVERIES = 200
const MOST_OCTETS = 16 * 1024 * 1024
/** Milliseconds for which a batch waits at most for more messages, like PostgreSQL's `commit_delay`, if several came together
 *  before; and no longer than half of what the last one took, so that the database and this thread have work at once. */
const LONGEST_DELAY = 6
/** Milliseconds for which the messages of a failed transaction are retried one by one. */
const RETRY_TIMEOUT = 10_000

/** Writes arrived messages, many in one transaction, which shares one commit to disk. */
export class ArrivalWriter {
  readonly #db: Db
  readonly #idKey: IdHashKey
  /** Resolves once every copy is durable. Duplicates of the last 7 days are not stored. Rejects if no copy is stored, with
   *  `Suspended` if a mailbox is suspended. */
  readonly keep: (delivery: Delivery) => Promise<void>
  /** Milliseconds for which the next batch waits at most. */
  #delay = 0

  constructor(db: Db, idKey: IdHashKey) {
    this.#db = db
    this.#idKey = idKey
    this.keep = batched(
      async (batch) => {
        const begun = performance.now()
        const written = await this.#writeBatch(batch)
        this.#delay = batch.length > 1 ? Math.min(LONGEST_DELAY, (performance.now() - begun) / 2) : 0
        return written
      },
      batchSize,
      () => this.#delay,
    )
  }

  /** If the transaction fails, each message gets one of its own: one bad message must not affect the others. */
  #writeBatch(batch: readonly Delivery[]) {
    let end: number | undefined
    return togetherOrEach(
      batch,
      async (some) => {
        await this.#write(some)
        return some.map(() => undefined)
      },
      (error) => {
        end ??= performance.now() + RETRY_TIMEOUT
        // A refusal of one mailbox says nothing about the others.
        return error instanceof Suspended || performance.now() < end
      },
    )
  }

  /** Writes what nothing follows from in one statement, which is one round trip; false, with nothing written, if there is
   *  more to it. */
  async #writeNew(deliveries: readonly Delivery[], arrivals: ReadonlyMap<string, Arrival>): Promise<boolean> {
    if (deliveries.some(({ followUps = [] }) => followUps.length > 0)) return false
    const copies = deliveries.flatMap((delivery) => delivery.copies)
    if (copies.length === 0 || copies.length > arrivals.size) return false
    return await appendNew(this.#db, this.#idKey, copies, [...arrivals.values()])
  }

  async #write(deliveries: readonly Delivery[]): Promise<void> {
    const arrivals = distinctArrivals(deliveries)
    if (await this.#writeNew(deliveries, arrivals)) return
    await this.#db.transaction().execute(async (tx) => {
      const isNew = new Set(arrivals.size > 0 ? (await noteArrivals(tx, [...arrivals.values()])).map(keyOf) : [])
      const kept = deliveries.map(({ copies, digest, followUps = [] }) => {
        // Of two equal copies the first is stored.
        const stored = copies.filter(({ mailbox: { mailboxId } }) => isNew.delete(keyOf({ mailboxId, digest })))
        const mailboxes = new Set(stored.map(({ mailbox }) => mailbox.mailboxId))
        const due = followUps.filter(({ mailboxId }) => mailboxId === null || mailboxes.has(mailboxId))
        return { stored, due }
      })
      await appendCopies(
        tx,
        this.#idKey,
        kept.flatMap(({ stored }) => stored),
      )
      await write(
        tx,
        kept.flatMap(({ due }) => due),
      )
    })
  }
}

async function write(tx: Tx, followUps: readonly FollowUp[]): Promise<void> {
  for (const one of followUps.toSorted((a, b) => (a.order < b.order ? -1 : 1))) await one.write(tx)
}

function batchSize(waiting: readonly Delivery[]): number {
  let octets = 0
  const end = waiting.findIndex((delivery, at) => {
    octets += octetsOf(delivery)
    return at === MOST_DELIVERIES || (at > 0 && octets > MOST_OCTETS)
  })
  return end < 0 ? waiting.length : end
}

function distinctArrivals(deliveries: readonly Delivery[]): Map<string, Arrival> {
  const arrivals = new Map<string, Arrival>()
  for (const { copies, digest } of deliveries) {
    for (const { mailbox } of copies) {
      const arrival = { mailboxId: mailbox.mailboxId, digest }
      arrivals.set(keyOf(arrival), arrival)
    }
  }
  return arrivals
}

function keyOf({ mailboxId, digest }: Arrival): string {
  return mailboxId + digest.toString('latin1')
}

/** Copies for Smart mailboxes share one message; each Private mailbox has its own. */
function octetsOf({ copies }: Delivery): number {
  const messages = new Set(copies.map(({ message }) => message))
  return messages.values().reduce((octets, { raw }) => octets + raw.length, 0)
}
