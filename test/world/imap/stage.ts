import type { Database } from '#/base/db/open.ts'
import type { Db } from '#/base/db/schema.ts'
import { announceEvents } from '#/base/event-log/announce.ts'
import { readMessage } from '#/formats/mime/read-message.ts'
import { selectedCommands } from '#/imap/selected/commands.ts'
import type { Handler, ImapDependencies } from '#/imap/session/session.ts'
import { SearchIndexer } from '#/mail/search-index/indexer.ts'
import type { Change } from '#/mail/store/change.ts'
import type { Copy } from '#/mail/store/copy-to-append.ts'
import { expungeMessages } from '#/mail/store/expunge.ts'
import { findFolder } from '#/mail/store/folders.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import { storeFlags } from '#/mail/store/store-flags.ts'
import { updateMessages } from '#/mail/store/update.ts'
import { databaseHome, testDatabase } from '#test/world/database/database.ts'
import { copy } from '#test/world/letters/letters.ts'
import { newMailbox, storeCopies } from '#test/world/mail/mailboxes.ts'
import { ofFile } from '#test/world/of-file.ts'
import { HeardSession, partsOn } from './heard-session.ts'

type Commands = Readonly<Record<string, Handler>>

/** A database with mailboxes, and what the sessions of a process share. Their commands are those of a selected mailbox, and these. */
export class Stage implements AsyncDisposable {
  readonly database: Database
  /** As another process has it, where the database can have one. */
  readonly elsewhere: Database
  readonly db: Db
  readonly parts: ReturnType<typeof partsOn>
  readonly commands: Commands
  readonly #resources: AsyncDisposable

  private constructor(database: Database, elsewhere: Database, commands: Commands, resources: AsyncDisposable) {
    this.database = database
    this.elsewhere = elsewhere
    this.commands = { ...selectedCommands, ...commands }
    this.#resources = resources
    this.parts = partsOn(database)
    this.db = database.db
  }

  /** For all tests of a file. */
  static async ofFile(commands: Commands = {}): Promise<Stage> {
    return ofFile(await Stage.open(commands))
  }

  static async open(commands: Commands = {}): Promise<Stage> {
    await using opening = new AsyncDisposableStack()
    const home = process.env.TEST_DATABASE_URL === undefined ? undefined : opening.use(await databaseHome())
    const database = opening.use(await (home?.open() ?? testDatabase()))
    const elsewhere = home ? opening.use(await home.open()) : database
    opening.use(announceEvents(elsewhere))
    return new Stage(database, elsewhere, commands, opening.move())
  }

  async scene(): Promise<Scene> {
    return new Scene(this, await newMailbox(this.db, 'ada'))
  }

  /** Has the index of words know all messages. */
  async index(): Promise<void> {
    const { db, reader, log } = this.parts
    await new SearchIndexer({ db, reader, log }).processAll()
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

  another(parts: ImapDependencies = this.stage.parts): HeardSession {
    return new HeardSession(parts, this.mailbox, this.stage.commands)
  }

  /** So many messages, or those that differ so, in one transaction. */
  add(messages: number | readonly Partial<Copy>[], all: Partial<Copy> = {}, { db } = this.stage.database) {
    const each = typeof messages === 'number' ? Array<Partial<Copy>>(messages).fill({}) : messages
    const copies = each.map((change) => copy(this.mailbox, { ...all, ...change }))
    return storeCopies(db, copies)
  }

  /** Messages in this order, as they were sent; each with a modification sequence of its own, from 2 on. */
  async store(messages: readonly (readonly [raw: string, marks?: Partial<Copy>])[]): Promise<void> {
    const receivedAt = new Date(this.stage.parts.clock.now())
    for (const [raw, marks] of messages)
      await this.add(1, { message: readMessage(Buffer.from(raw, 'latin1')), receivedAt, ...marks })
  }

  async expunge(...uids: number[]): Promise<void> {
    await expungeMessages(this.stage.db, this.mailbox, 'inbox', uids)
  }

  async mark(uids: number[], change: Change): Promise<void> {
    await updateMessages(this.stage.db, this.mailbox, 'inbox', uids, change)
  }

  /** As STORE of a session does, of whose change its client is told by itself. */
  async storeFlags(uids: number[], change: Change): Promise<void> {
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
