import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db, Tx } from '#/db/schema.ts'
import { invalid } from '#/errors.ts'
import { openAllMailboxes } from '#/mail/folders.ts'
import { inDatabase, type MailHostName, noteMove, noteMoved, recordedMailHost } from '#/mailboxes/mail-host-name.ts'
import type { IdHashKey } from '#/mime/id-hash.ts'
import type { MessageReader } from '#/mime/reader.ts'
import type { MailboxRef } from '#/ports/mail-host.ts'
import type { MailMover, MoveProgress, MoveReport, MoveTarget } from '#/ports/mail-mover.ts'
import type { ImapServer } from '#/ports/servers.ts'
import { type Storage, setStorage } from '#/usage/storage.ts'
import { Access, findAccount } from '../imap/access.ts'
import { storageUsed } from '../imap/folders/storage.ts'
import { Tally } from './carried.ts'
import { MoveClaim } from './claim.ts'
import { isSpoolEmpty, mailboxesToDatabase, moveToDatabase } from './to-database.ts'
import { mailboxesToServer, moveToServer } from './to-server.ts'

/** Mailboxes that are moved concurrently. */
const mostAtOnce = 4
/** The pause between passes while another process still delivers from the spool, in milliseconds. */
const pause = 250

interface Parts {
  readonly db: Db
  readonly server: ImapServer
  /** The server's name in the installation's record. */
  readonly serverName: MailHostName
  readonly key: IdHashKey
  readonly reader: MessageReader
}

/** Moves mail between the two adapters in this folder (docs/moving.md). */
export class Mover implements MailMover, AsyncDisposable {
  readonly #parts: Parts
  readonly #access: Access

  constructor(parts: Parts) {
    this.#parts = parts
    this.#access = new Access(parts.server)
  }

  async move(to: MoveTarget, onProgress: (progress: MoveProgress) => void): Promise<MoveReport> {
    const { db } = this.#parts
    await using claim = await MoveClaim.acquire(db)
    await this.#begin(to)
    const tally = new Tally()
    const parts = { ...this.#parts, access: this.#access, claim, tally }
    for (;;) {
      const before = tally.messages
      const toServer = to === 'imap'
      const mailboxes = await (toServer ? mailboxesToServer(db) : mailboxesToDatabase(db))
      const move = toServer ? moveToServer : moveToDatabase
      await each(mailboxes, (mailbox, done) => {
        const progress = () =>
          onProgress({ messages: tally.messages, bytes: tally.bytes, mailboxes: done(), ofMailboxes: mailboxes.length })
        return move(parts, mailbox, progress)
      })
      if (toServer ? mailboxes.length === 0 : tally.messages === before && (await isSpoolEmpty(db))) break
      if (tally.messages === before) await wait(pause)
    }
    if (to === 'imap') await this.#measure()
    await noteMoved(db)
    const { messages, bytes, digest, renamed, keywordsLost } = tally
    return { messages, bytes, digest, renamed, keywordsLost }
  }

  /** From here on the new host is in force: processes configured for the old one cannot store or change mail. */
  async #begin(to: MoveTarget): Promise<void> {
    const { db, serverName } = this.#parts
    const [target, source] = to === 'imap' ? [serverName, inDatabase] : [inDatabase, serverName]
    await db.transaction().execute(async (tx) => {
      await sql`select from installation for update`.execute(tx)
      const { host = source, movingFrom } = await recordedMailHost(tx)
      if (movingFrom !== undefined && (movingFrom !== source || host !== target))
        throw invalid('to', `Mail is being moved from ${movingFrom} to ${host}`, 'Let that finish first')
      if (host !== source && host !== target)
        throw invalid(
          'to',
          `The mail of this installation is on ${host}, not on ${serverName}`,
          'Check MAILROOM_IMAP_URL',
        )
      if (host === target && movingFrom === undefined && to === 'database') return
      await noteMove(tx, source, target)
      if (host === source) await switchHost(tx, to)
    })
  }

  /** Sets the storage in use from the IMAP server. */
  async #measure(): Promise<void> {
    const { db } = this.#parts
    const find = (mailbox: MailboxRef) => findAccount(db, mailbox)
    const organizations = await db.selectFrom('organizations').select('id').execute()
    for (const { id } of organizations) await storageUsed(db, this.#access, find, id)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#access[Symbol.asyncDispose]()
  }
}

/** A statement that changes mail in the database or the spool locks one of these tables before it reads which host is in
 *  force. Once these locks are held, all that read the old host have ended, and all others will read the new one. */
async function switchHost(tx: Tx, to: MoveTarget): Promise<void> {
  await sql`lock table mail_folders, mail_spool in exclusive mode`.execute(tx)
  if (to === 'imap') return
  await openAllMailboxes(tx)
  const { rows: stored } = await sql<Storage>`
    select id as organization_id,
      (select coalesce(sum(size_bytes), 0) from mail_folders where organization_id = organizations.id) as bytes
    from organizations`.execute(tx)
  await setStorage(tx, stored)
}

async function each(
  mailboxes: readonly MailboxRef[],
  work: (mailbox: MailboxRef, done: () => number) => Promise<void>,
): Promise<void> {
  const left = mailboxes.values()
  let finished = 0
  const next = async () => {
    for (const mailbox of left) {
      await work(mailbox, () => finished)
      finished++
    }
  }
  const all = await Promise.allSettled(Array.from({ length: mostAtOnce }, next))
  for (const one of all) if (one.status === 'rejected') throw one.reason
}
