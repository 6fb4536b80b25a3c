import { pino } from 'pino'
import type { Database } from '#/db/open.ts'
import { announceEvents } from '#/events/announce.ts'
import { selectedCommands } from '#/imap/selected/commands.ts'
import { findFolder } from '#/mail/folders.ts'
import { sqlMailHost } from '#/mail/sql-mail-host.ts'
import { type FlagChange, storeFlags } from '#/mail/store-flags.ts'
import { idHashKey } from '#/mime/id-hash.ts'
import type { Copy, MailboxRef, MailHost } from '#/ports/mail-host.ts'
import { copy } from '#test/conformance/mail-host/letters.ts'
import { newDomain, newMailbox } from '#test/conformance/mail-host/mailboxes.ts'
import { databaseHome } from '#test/world/database/database.ts'
import { HeardSession, partsOn } from './heard-session.ts'

const log = pino({ level: 'silent' })

/** A database with mailboxes, and what the sessions of a process share. */
export class Stage implements AsyncDisposable {
  readonly database: Database
  /** As another process has it, where the database can have one. */
  readonly elsewhere: Database
  readonly host: MailHost
  readonly parts: ReturnType<typeof partsOn>
  readonly #resources: AsyncDisposable

  private constructor(database: Database, elsewhere: Database, resources: AsyncDisposable) {
    this.database = database
    this.elsewhere = elsewhere
    this.#resources = resources
    this.host = sqlMailHost(database.db, idHashKey('a secret'))
    this.parts = this.process()
  }

  static async open(): Promise<Stage> {
    await using opening = new AsyncDisposableStack()
    const home = opening.use(await databaseHome())
    const database = opening.use(await home.open())
    const elsewhere = database.embedded ? database : opening.use(await home.open())
    opening.use(announceEvents(elsewhere))
    return new Stage(database, elsewhere, opening.move())
  }

  /** What the sessions of another process share. */
  process(database = this.database): ReturnType<typeof partsOn> {
    return partsOn(database, { mailHost: this.host, log })
  }

  async scene(): Promise<Scene> {
    return new Scene(this, await newMailbox(this.database.db, this.host, await newDomain(this.database.db), 'ada'))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.parts[Symbol.asyncDispose]()
    await this.#resources[Symbol.asyncDispose]()
  }
}

/** A new mailbox, with a session of its owner, and what others do to it. */
export class Scene implements Disposable {
  readonly stage: Stage
  readonly session: HeardSession
  readonly mailbox: MailboxRef

  constructor(stage: Stage, mailbox: MailboxRef) {
    this.stage = stage
    this.mailbox = mailbox
    this.session = this.another()
  }

  another(parts: Stage['parts'] = this.stage.parts): HeardSession {
    return new HeardSession(parts, this.mailbox, selectedCommands)
  }

  add(count: number, change: Partial<Copy> = {}, { db } = this.stage.database): Promise<void> {
    const copies = Array.from({ length: count }, () => copy(this.mailbox, change))
    const { host } = this.stage
    return db.transaction().execute((tx) => host.append(tx, copies))
  }

  async expunge(...uids: number[]): Promise<void> {
    await this.stage.host.expunge(this.mailbox, 'inbox', uids)
  }

  async mark(uids: number[], change: Parameters<MailHost['update']>[3]): Promise<void> {
    await this.stage.host.update(this.mailbox, 'inbox', uids, change)
  }

  /** As STORE of a session does, of whose change its client is told by itself. */
  async store(uids: number[], change: FlagChange): Promise<void> {
    const { db } = this.stage.database
    const { id: folderId } = await findFolder(db, this.mailbox, 'inbox')
    const ref = { mailbox: this.mailbox, folderId }
    const stored = await db.transaction().execute((tx) => storeFlags(tx, ref, uids, change, this.session.user.by))
    const told = this.session.needSelected().modseq
    this.session.needSelected().knows(
      stored.modseq,
      stored.changed.filter(({ modseqBefore }) => modseqBefore > told).map(({ uid }) => uid),
    )
  }

  /** As after many expunges: the log of them begins now. */
  async prune(): Promise<void> {
    const { db } = this.stage.database
    const { id, modseq } = await findFolder(db, this.mailbox, 'inbox')
    await db.updateTable('mail_folders').set({ expunged_from: modseq }).where('id', '=', id).execute()
    await db.deleteFrom('mail_expunged').where('folder_id', '=', id).execute()
  }

  async folderId(name: string): Promise<number> {
    return (await findFolder(this.stage.database.db, this.mailbox, name)).id
  }

  /** What a command is told, with `N` for the id of the inbox, which % in the command stands for. */
  async told(command: string): Promise<string[]> {
    const { id } = await findFolder(this.stage.database.db, this.mailbox, 'inbox')
    const lines = await this.session.run(command.replace('%', String(id)))
    return lines.map((line) => line.replace(/(?<=UIDVALIDITY )\d+|(?<=MAILBOXID \(f)\w+/, 'N'))
  }

  [Symbol.dispose](): void {
    this.session[Symbol.dispose]()
  }
}
