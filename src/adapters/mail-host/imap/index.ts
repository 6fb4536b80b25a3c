import type { Logger } from 'pino'
import type { Db, Tx } from '#/db/schema.ts'
import { mailUnavailable } from '#/errors.ts'
import { type By, type Told, tell } from '#/events/tell.ts'
import { assertStillHere, keptOnServer } from '#/mailboxes/mail-host-name.ts'
import type { IdHashKey } from '#/mime/id-hash.ts'
import type { MessageReader } from '#/mime/reader.ts'
import type { FolderChanges, FolderState } from '#/ports/folder-changes.ts'
import type {
  Change,
  Copy,
  Draft,
  FolderStatus,
  ListQuery,
  MailboxRef,
  MailHost,
  Place,
  Stored,
  Summary,
} from '#/ports/mail-host.ts'
import type { SearchPage, SearchQuery } from '#/ports/search.ts'
import type { ImapServer } from '#/ports/servers.ts'
import { changedAsAsked, deleted, saved } from '../changed.ts'
import { noSuchFolder } from '../folders.ts'
import { Access, findAccount, type InFolder } from './access.ts'
import { uidsNamed } from './changing/append.ts'
import { expunge, presentUids, update } from './changing/change.ts'
import { empty, removeFolders } from './changing/empty.ts'
import { createFolder, removeFolder, renameFolder } from './changing/make-folder.ts'
import { saveDraft } from './changing/save-draft.ts'
import { ImapConnection } from './client/connection.ts'
import { realUids } from './client/syntax.ts'
import { checkFolder } from './folders/check-folder.ts'
import { nearlyFull, storageOf, storageUsed } from './folders/storage.ts'
import { Reach } from './reach.ts'
import { changes } from './reading/changes.ts'
import { Contents } from './reading/contents.ts'
import { countUpTo, listed, uidsAfter } from './reading/list.ts'
import { readMessage } from './reading/read-message.ts'
import { searchByReading } from './reading/search.ts'
import { ThreadRowsReader } from './reading/thread-rows.ts'
import { Spool } from './spool/spool.ts'

interface Parts {
  readonly db: Db
  readonly server: ImapServer
  readonly key: IdHashKey
  readonly reader: MessageReader
  readonly log: Logger
  /** How many bytes of mail may wait while the server is away. */
  readonly mostSpooledBytes: number
}

/** In milliseconds. */
const betweenMeasurings = 5 * 60_000

/** Mail on an IMAP server, where other programs reach it too (docs/mail-host.md). */
export class ImapMailHost implements MailHost, AsyncDisposable {
  readonly #parts: Parts
  readonly #access: Access
  readonly #spool: Spool
  readonly #reach: Reach
  readonly #contents = new Contents()
  readonly #measuring: NodeJS.Timeout

  constructor(parts: Parts) {
    const { db, server, log, mostSpooledBytes: mostBytes } = parts
    this.#parts = parts
    this.#access = new Access(server)
    this.#spool = new Spool({ db, access: this.#access, log, mostBytes })
    this.#reach = new Reach({ db, access: this.#access, spool: this.#spool })
    this.#measuring = setInterval(() => this.#measure(), betweenMeasurings)
    this.#measuring.unref()
  }

  /** Nothing to do: the server may know the mailbox only once the transaction has ended. The six folders are made when it
   *  is first looked at. */
  async open(_tx: Tx, _mailbox: MailboxRef): Promise<void> {}

  append(tx: Tx, copies: readonly Copy[]): Promise<void> {
    return this.#spool.add(tx, copies)
  }

  hasRoom(organizationId: string): Promise<boolean> {
    return this.#spool.hasRoom(organizationId)
  }

  checkFolder(organizationId: string, folder: string): Promise<void> {
    return checkFolder(this.#parts.db, this.#access, organizationId, folder)
  }

  async saveDraft(mailbox: MailboxRef, draft: Draft, by?: By): Promise<number | undefined> {
    const uid = await this.#reach.exclusively(mailbox, 'drafts', (session, folder) => saveDraft(session, folder, draft))
    if (uid !== undefined) await this.#tell([saved(mailbox, uid, draft.replaces.at(-1))], by)
    return uid
  }

  draftsNamed(mailbox: MailboxRef, messageId: string): Promise<number[]> {
    return this.#reach.inFolder(mailbox, 'drafts', (session) => uidsNamed(session, messageId))
  }

  async folders(mailbox: MailboxRef): Promise<FolderStatus[]> {
    const listed = await this.#reach.statuses(mailbox)
    return listed.map(({ name, total, unread }) => ({ name, total, unread }))
  }

  createFolder(mailbox: MailboxRef, name: string): Promise<boolean> {
    return this.#reach.inFolders(mailbox, (session, layout) => createFolder(session, layout, name))
  }

  renameFolder(mailbox: MailboxRef, name: string, to: string): Promise<void> {
    return this.#reach.inFolders(mailbox, (session, layout) => renameFolder(session, layout, name, to))
  }

  removeFolder(mailbox: MailboxRef, name: string): Promise<boolean> {
    return this.#reach.inFolders(mailbox, (session, layout) =>
      removeFolder(session, layout, name, () => this.#spool.settled(mailbox, name)),
    )
  }

  async list(mailbox: MailboxRef, name: string, query: ListQuery): Promise<{ total: number; messages: Summary[] }> {
    return this.#reach.inFolder(mailbox, name, async (session, folder) => {
      const uids = await listed(session, query)
      const start = query.page * query.limit + (query.after ? await countUpTo(session, uids, query.after) : 0)
      const page = uids.slice(start, start + query.limit)
      const found = new Map(
        (await this.#contents.of(session, folder, name, realUids(page))).map((one) => [one.summary.uid, one]),
      )
      return { total: uids.length, messages: page.flatMap((uid) => found.get(uid)?.summary ?? []) }
    })
  }

  summaries(mailbox: MailboxRef, name: string, uids: readonly number[]): Promise<Summary[]> {
    return this.#reach.inFolder(mailbox, name, async (session, folder) => {
      const found = await this.#contents.of(session, folder, name, realUids(uids))
      return found.map(({ summary }) => summary)
    })
  }

  uidsAfter(mailbox: MailboxRef, name: string, uid: number, most: number): Promise<number[]> {
    return this.#reach.inFolder(mailbox, name, (session) => uidsAfter(session, uid, most))
  }

  read(mailbox: MailboxRef, name: string, uid: number): Promise<Stored | undefined> {
    const inFolder = <T>(work: InFolder<T>) => this.#reach.inFolder(mailbox, name, work)
    return readMessage(inFolder, this.#contents, name, uid)
  }

  search(mailboxes: readonly MailboxRef[], query: SearchQuery): Promise<SearchPage> {
    return searchByReading(this, this.#parts.reader, mailboxes, query)
  }

  async update(
    mailbox: MailboxRef,
    name: string,
    uids: readonly number[],
    change: Change,
    by?: By,
  ): Promise<Map<number, Place>> {
    const work: InFolder<Map<number, Place>> = (session, folder, layout) =>
      update(session, folder, layout, name, realUids(uids), change)
    const places = await this.#reach.exclusively(mailbox, name, work)
    await this.#tell(changedAsAsked(mailbox, name, places, change), by)
    return places
  }

  async expunge(mailbox: MailboxRef, name: string, uids: readonly number[], by?: By): Promise<number[]> {
    const gone = await this.#reach.exclusively(mailbox, name, async (session, folder) => {
      const present = await presentUids(session, folder, realUids(uids))
      if (present.length > 0) await expunge(session, present)
      return present
    })
    await this.#tell(deleted(mailbox, name, gone), by)
    return gone
  }

  /** The server has done it by now, so a process that dies here does not tell of it. */
  async #tell(events: readonly Told[], by: By | undefined): Promise<void> {
    if (events.length > 0) await this.#parts.db.transaction().execute((tx) => tell(tx, events, by))
  }

  async *empty(mailbox: MailboxRef): AsyncGenerator<number> {
    const account = await findAccount(this.#parts.db, mailbox)
    if (account) yield* empty(this.#access, this.#spool, account)
  }

  async remove(mailbox: MailboxRef): Promise<void> {
    const account = await findAccount(this.#parts.db, mailbox)
    if (account) await removeFolders(this.#access, account)
  }

  changes(mailbox: MailboxRef, name: string, since: FolderState | undefined): Promise<FolderChanges> {
    return this.#reach.inFolder(mailbox, name, async (session, folder) => {
      const step = await changes(
        session,
        folder,
        () => new ThreadRowsReader(this.#parts.key, this.#parts.reader),
        since,
      )
      if (!step) throw noSuchFolder(name)
      return step
    })
  }

  storageUsed(organizationId: string): Promise<number> {
    return storageUsed(this.#parts.db, this.#access, this.#reach.found, organizationId)
  }

  storageOf(mailboxes: readonly MailboxRef[]): Promise<Map<string, number>> {
    return storageOf(this.#parts.db, this.#access, this.#reach.found, mailboxes)
  }

  async ping(): Promise<void> {
    await assertStillHere(this.#parts.db, keptOnServer)
    const connection = await ImapConnection.open(this.#parts.server).catch((error) => {
      throw mailUnavailable(error)
    })
    connection.close()
  }

  /** Lets in mail again for those who made room with another program. */
  async #measure(): Promise<void> {
    try {
      for (const organizationId of await nearlyFull(this.#parts.db)) await this.storageUsed(organizationId)
    } catch (err) {
      this.#parts.log.warn({ err }, 'the storage that organizations use could not be measured')
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#measuring)
    await this.#spool[Symbol.asyncDispose]()
    await this.#access[Symbol.asyncDispose]()
  }
}
