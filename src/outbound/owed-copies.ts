import { sql } from 'kysely'
import type { Logger } from 'pino'
import { collected, joined, pieceBytes } from '#/bytes.ts'
import type { Db, Tx } from '#/db/schema.ts'
import type { SharedTime } from '#/db/time.ts'
import { parseMailbox } from '#/mime/address.ts'
import type { MessageReader } from '#/mime/reader.ts'
import type { MailHost } from '#/ports/mail-host.ts'
import { forgetSent, type Owed, takeOwed } from '#/scheduled/due.ts'
import type { SealingKey } from '#/seal.ts'
import { openedFields, openedPiece } from '#/sending/sealed.ts'
import { forgetEmpty } from '#/sending/waiting.ts'
import { Overtaken } from './claims.ts'
import { type Held, heldOctets } from './held.ts'
import { bccField, commentsField, type SentCopy, storeCopies } from './sent-copy.ts'
import { WhileAsked } from './while-asked.ts'

/** When to try again to store a copy that could not be, or that somebody has taken and not stored, in milliseconds. */
const untilNext = 60_000

/** How long copies wait at most for what is to be sent, in milliseconds. */
const patience = 30_000

export interface OwedCopiesParts {
  readonly db: Db
  readonly time: SharedTime
  readonly mailHost: MailHost
  readonly reader: MessageReader
  /** Opens what waits. */
  readonly mailKey: SealingKey
  readonly log: Logger
}

/** Stores the copies for Sent of what was scheduled and somebody has. */
export class OwedCopies implements AsyncDisposable {
  readonly #parts: OwedCopiesParts
  readonly #storing: WhileAsked
  #held: PromiseWithResolvers<void> | undefined

  constructor(parts: OwedCopiesParts) {
    this.#parts = parts
    this.#storing = new WhileAsked(
      () => this.#storeSome(),
      (err) => parts.log.error({ err }, 'copies for Sent could not be looked for'),
    )
  }

  /** Copies may be owed: called after a commit with which they are. */
  wake(): void {
    this.#storing.ask()
  }

  /** Lets what is to be sent in time go first: until the answer is disposed nothing is stored, for a while at most. */
  hold(): Disposable {
    const held = Promise.withResolvers<void>()
    this.#held = held
    const timer = setTimeout(held.resolve, patience)
    return {
      [Symbol.dispose]: () => {
        clearTimeout(timer)
        held.resolve()
      },
    }
  }

  /** Stores the copy of a message that has failed, and that somebody may have all the same, within the transaction that
   *  gives it up. */
  async storeDoubtful(tx: Tx, message: Held, doubt: string): Promise<void> {
    const { mailHost, reader, mailKey } = this.#parts
    const { id, organizationId, mailboxId, sizeBytes, createdAt } = message
    const { rows } = await sql<Pick<Owed, 'fields' | 'bcc'>>`
      select fields, bcc from scheduled_messages
      where organization_id = ${organizationId} and id = ${id}`.execute(tx)
    if (mailboxId === null || !rows[0]) return
    const raw = await collected(heldOctets(tx, mailKey, id), sizeBytes)
    const front = Buffer.from(commentsField(doubt) + this.#bccOf(id, rows[0]))
    const mailbox = { organizationId, mailboxId }
    const copy = await reader.message(await joined([front, raw]))
    await storeCopies(tx, { mailHost }, [{ mailbox, message: copy, sentAt: createdAt, doubtful: true }])
  }

  #bccOf(id: string, { fields, bcc }: Pick<Owed, 'fields' | 'bcc'>): string {
    const secret = (fields === null ? bcc : openedFields(this.#parts.mailKey, id, fields).bcc) ?? []
    return bccField(secret.map((one) => parseMailbox(one)?.address ?? one))
  }

  /** Resolves once nothing is owed that is due. */
  async processAll(): Promise<void> {
    do {
      this.wake()
      await this.#storing.underWay
    } while (this.#storing.underWay)
  }

  /** False where none is owed that is due. */
  async #storeSome(): Promise<boolean> {
    await this.#held?.promise
    if (this.#storing.closed) return false
    const { db, time } = this.#parts
    const now = await time(db)
    const owed = await takeOwed(db, now, new Date(now.getTime() + untilNext))
    if (owed.length > 0) await this.#store(await this.#read(owed))
    return owed.length > 0
  }

  /** All of them in one transaction, or, where that fails, each in one of its own. */
  async #store(owed: readonly Readable[]): Promise<void> {
    const { db, mailHost, log } = this.#parts
    const ids = owed.map(({ id }) => id)
    try {
      await db.transaction().execute(async (tx) => {
        // The folders first, and then the list, as whoever removes a mailbox does.
        await storeCopies(
          tx,
          { mailHost },
          owed.flatMap(({ copy }) => copy ?? []),
        )
        if ((await forgetSent(tx, ids)) < ids.length) throw new Overtaken()
        await forgetEmpty(tx, ids)
      })
    } catch (err) {
      if (owed.length > 1) for (const one of owed) await this.#store([one])
      else if (err instanceof Overtaken) log.warn({ message: ids[0] }, err.message)
      else log.error({ err, message: ids[0] }, 'the copy in Sent could not be stored yet')
    }
  }

  async #read(owed: readonly Owed[]): Promise<Readable[]> {
    const { db } = this.#parts
    const { rows } = await sql<Message>`
      select message.id, size_bytes as "sizeBytes", created_at as "createdAt", bytes, sealed
      from outbound_messages message
      left join outbound_pieces piece
        on piece.message_id = message.id and number = 0 and size_bytes <= ${pieceBytes}
      where message.id = any (${owed.map(({ id }) => id)}::uuid[])`.execute(db)
    const messages = new Map(rows.map((message) => [message.id, message]))
    return await Promise.all(owed.map(async (one) => ({ ...one, copy: await this.#copyOf(one, messages.get(one.id)) })))
  }

  /** Undefined where its mailbox is gone. */
  async #copyOf(owed: Owed, message: Message | undefined): Promise<SentCopy | undefined> {
    const { organizationId, mailboxId } = owed
    if (mailboxId === null || !message) return undefined
    const { db, reader, mailKey } = this.#parts
    const { id, bytes, sealed } = message
    const raw =
      bytes === null
        ? await collected(heldOctets(db, mailKey, id), message.sizeBytes)
        : openedPiece(mailKey, id, 0, { bytes, sealed })
    return {
      mailbox: { organizationId, mailboxId },
      message: await reader.message(await joined([Buffer.from(this.#bccOf(id, owed)), raw])),
      sentAt: message.createdAt,
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = this.#storing.close()
    this.#held?.resolve()
    await closed
  }
}

interface Readable extends Owed {
  readonly copy: SentCopy | undefined
}

/** As the queue holds it. */
interface Message {
  readonly id: string
  readonly sizeBytes: number
  readonly createdAt: Date
  /** Null where there are more than fit in one piece. */
  readonly bytes: Buffer | null
  readonly sealed: boolean
}
