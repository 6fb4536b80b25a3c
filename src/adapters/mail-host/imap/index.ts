import type { Logger } from 'pino'
import { placesAfter } from '#/changes/part.ts'
import type { Db, Tx } from '#/db/schema.ts'
import type { By } from '#/events/append.ts'
import { changedAsAsked, deleted, saved } from '#/mail/changed.ts'
import { noSuchFolder } from '#/mail/folder-names.ts'
import type { IdHashKey } from '#/mime/id-hash.ts'
import type { MessageReader } from '#/mime/reader.ts'
import type { FolderChanges, FolderState } from '#/ports/folder-changes.ts'
import type {
  Change,
  Copy,
  Draft,
  Extent,
  HeadingPage,
  ListQuery,
  MailboxRef,
  MailHost,
  Place,
  Stored,
  Summary,
  UidRange,
} from '#/ports/mail-host.ts'
import type { FolderKey, Recording } from '#/ports/recording.ts'
import type { ImapServer } from '#/ports/servers.ts'
import { Access, findAccount } from './access.ts'
import { expunge, presentUids, update } from './changing/change.ts'
import { empty, removeFolders } from './changing/empty.ts'
import { createFolder, removeFolder, renameFolder } from './changing/make-folder.ts'
import { marksOfDraft, saveDraft } from './changing/save-draft.ts'
import { realUids } from './client/syntax.ts'
import { checkFolder } from './folders/check-folder.ts'
import { measureNearlyFull, storageOf, storageUsed } from './folders/storage.ts'
import { ping, Reach } from './reach.ts'
import { Candidates } from './reading/candidates.ts'
import { changes } from './reading/changes.ts'
import { Contents } from './reading/contents.ts'
import { extent, headings } from './reading/headings.ts'
import { keywordTotals } from './reading/keyword-totals.ts'
import { pageOf, uidsAfter } from './reading/list.ts'
import { marked } from './reading/marked.ts'
import { readMessage } from './reading/read-message.ts'
import { searchByReading } from './reading/search.ts'
import { ThreadRowsReader } from './reading/thread-rows.ts'
import { Spool } from './spool/spool.ts'
import { logOwnChanges, type OwnDone, ownChangesOf, went } from './watch/own-changes.ts'

interface Parts {
  readonly db: Db
  readonly server: ImapServer
  readonly key: IdHashKey
  readonly reader: MessageReader
  readonly log: Logger
  /** Bytes of mail that may be in the spool. */
  readonly mostSpooledBytes: number
}

/** In milliseconds. */
const betweenMeasurings = 5 * 60_000

/** Mail on an IMAP server that other programs use too (docs/mail-host.md). */
export class ImapMailHost implements MailHost, AsyncDisposable {
  readonly #parts: Parts
  readonly #access: Access
  readonly #spool: Spool
  readonly #reach: Reach
  readonly #contents = new Contents()
  readonly #candidates: Candidates
  readonly #measuring: NodeJS.Timeout
  readonly #logDone = (done: OwnDone) => logOwnChanges(this.#parts.db, done)

  constructor(parts: Parts) {
    const { db, server, log, mostSpooledBytes: mostBytes } = parts
    this.#parts = parts
    this.#access = new Access(server)
    this.#spool = new Spool({ db, access: this.#access, log, mostBytes })
    this.#reach = new Reach({ db, access: this.#access, spool: this.#spool })
    this.#candidates = new Candidates(this.#reach)
    this.#measuring = setInterval(
      () => void measureNearlyFull(db, log, (id) => this.storageUsed(id)),
      betweenMeasurings,
    )
    this.#measuring.unref()
  }

  /** Does nothing: the server may know the mailbox only after the transaction. The six folders are created at first access. */
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
    if (uid === undefined) return undefined
    await this.#parts.db.transaction().execute(async (tx) => draft.record?.(tx, uid))
    const own = [{ folder: 'drafts', uid, became: marksOfDraft }, ...went('drafts', draft.replaces)]
    await this.#logDone({ mailbox, own, events: [saved(mailbox, uid, draft.replaces.at(-1))], by })
    return uid
  }

  async folders(mailbox: MailboxRef): ReturnType<MailHost['folders']> {
    return (await this.#reach.statuses(mailbox)).map(({ name, total, unread }) => ({ name, total, unread }))
  }

  folderStates(mailbox: MailboxRef): ReturnType<MailHost['folderStates']> {
    return this.#reach.statuses(mailbox)
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
      const { total, uids } = await pageOf(session, query)
      const shown = await this.#contents.of(session, folder, name, realUids(uids))
      const found = new Map(shown.map(({ summary }) => [summary.uid, summary]))
      return { total, messages: uids.flatMap((uid) => found.get(uid) ?? []) }
    })
  }

  readonly keywordTotals: MailHost['keywordTotals'] = (mailboxes) => keywordTotals(this.#reach, mailboxes)
  readonly marked: MailHost['marked'] = (...wanted) => marked(this.#reach, ...wanted)

  summaries(mailbox: MailboxRef, name: string, uids: readonly number[]): Promise<Summary[]> {
    return this.#reach.inFolder(mailbox, name, async (session, folder) => {
      const found = await this.#contents.of(session, folder, name, realUids(uids))
      return found.map(({ summary }) => summary)
    })
  }

  uidsAfter(mailbox: MailboxRef, name: string, uid: number, most: number): Promise<number[]> {
    return this.#reach.inFolder(mailbox, name, (session) => uidsAfter(session, uid, most))
  }

  extent(mailbox: MailboxRef, name: string): Promise<Extent> {
    return this.#reach.inFolder(mailbox, name, extent)
  }

  headings(mailbox: MailboxRef, name: string, range: UidRange): Promise<HeadingPage> {
    return this.#reach.inFolder(mailbox, name, (session, folder) => headings(session, folder, range))
  }

  read(mailbox: MailboxRef, name: string, uid: number): Promise<Stored | undefined> {
    return readMessage((work) => this.#reach.inFolder(mailbox, name, work), this.#contents, name, uid)
  }

  readonly search: MailHost['search'] = (mailboxes, query) =>
    searchByReading({ host: this, candidates: this.#candidates, reader: this.#parts.reader }, mailboxes, query)

  async update(
    mailbox: MailboxRef,
    name: string,
    uids: readonly number[],
    change: Change,
    by?: By,
    recording?: Recording,
  ): Promise<Map<number, Place>> {
    const changing = { mailbox, name, uids: realUids(uids), change, intend: recording?.intend.bind(recording) }
    const did = await this.#reach.exclusively(mailbox, name, (session, folder, layout) =>
      update(session, folder, layout, changing),
    )
    const places = placesAfter(did)
    const settle = recording && ((tx: Tx) => recording.settle(tx, did))
    await this.#logDone({
      mailbox,
      own: ownChangesOf(did),
      events: changedAsAsked(mailbox, name, places, change),
      by,
      settle,
    })
    return places
  }

  readonly findMoved: Required<MailHost>['findMoved'] = (...moved) => this.#reach.findMoved(...moved)
  readonly folderNow = (mailbox: MailboxRef, folder: FolderKey) => this.#reach.folderNow(mailbox, folder)

  readonly expunge: MailHost['expunge'] = async (mailbox, name, uids, by, record) => {
    const gone = await this.#reach.exclusively(mailbox, name, async (session, folder) => {
      const present = await presentUids(session, folder, realUids(uids))
      if (present.length > 0) await expunge(session, present)
      return present
    })
    const settle = record && ((tx: Tx) => record(tx, gone))
    await this.#logDone({ mailbox, own: went(name, gone), events: deleted(mailbox, name, gone), by, settle })
    return gone
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

  readonly ping = () => ping(this.#parts.db, this.#parts.server)

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#measuring)
    await this.#spool[Symbol.asyncDispose]()
    await this.#access[Symbol.asyncDispose]()
  }
}
