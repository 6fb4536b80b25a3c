import type { Logger } from 'pino'
import { pieceBytes } from '#/bytes.ts'
import type { ImapServer } from '#/config/imap-url.ts'
import type { Db, Tx } from '#/db/schema.ts'
import { mailUnavailable, notFound } from '#/errors.ts'
import { assertStillHere, keptOnServer } from '#/mailboxes/home.ts'
import type { IdHashKey } from '#/mime/id-hash.ts'
import type { MessageReader } from '#/mime/reader.ts'
import type { FolderChanges, FolderState } from '#/ports/folder-changes.ts'
import type {
  Change,
  Copy,
  FolderStatus,
  ListQuery,
  MailboxRef,
  MailHost,
  Place,
  Stored,
  Summary,
} from '#/ports/mail-host.ts'
import { Access, type Account, findAccount, noSuchFolder } from './access.ts'
import { assertKept, expunge, flagCommands, move, store } from './change.ts'
import { changes } from './changes.ts'
import { checkFolder } from './check-folder.ts'
import { Connection, patience } from './connection.ts'
import { Contents, type Found, readFlags } from './contents.ts'
import { empty, removeFolders } from './empty.ts'
import type { Layout } from './layout.ts'
import { listed } from './list.ts'
import { attributes, bytesOf } from './response.ts'
import type { SelectedFolder } from './selected-folder.ts'
import type { Session } from './session.ts'
import { longestWait } from './session-pool.ts'
import { Spool } from './spool.ts'
import { nearlyFull, storageOf, storageUsed } from './storage.ts'
import { ThreadRowsReader } from './thread-rows.ts'
import { realUids } from './words.ts'

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

type InFolder<T> = (session: Session, folder: SelectedFolder, layout: Layout) => Promise<T>

/** Mail on an IMAP server, where other programs reach it too (docs/mail-host.md). */
export class ImapMailHost implements MailHost, AsyncDisposable {
  readonly #db: Db
  readonly #server: ImapServer
  readonly #key: IdHashKey
  readonly #reader: MessageReader
  readonly #access: Access
  readonly #spool: Spool
  readonly #log: Logger
  readonly #contents = new Contents()
  readonly #measuring: NodeJS.Timeout

  constructor({ db, server, key, reader, log, mostSpooledBytes }: Parts) {
    this.#db = db
    this.#server = server
    this.#key = key
    this.#reader = reader
    this.#log = log
    this.#access = new Access(server)
    this.#spool = new Spool({ db, access: this.#access, log, mostBytes: mostSpooledBytes })
    this.#measuring = setInterval(() => this.#measure(), betweenMeasurings)
    this.#measuring.unref()
  }

  /** Nothing to do: the server may know the mailbox only once the transaction has ended. The six folders are made when it
   *  is first looked at. */
  async open(_tx: Tx, _mailbox: MailboxRef): Promise<void> {}

  append(tx: Tx, copies: readonly Copy[]): Promise<void> {
    return this.#spool.take(tx, copies)
  }

  hasRoom(organizationId: string): Promise<boolean> {
    return this.#spool.hasRoom(organizationId)
  }

  checkFolder(organizationId: string, folder: string): Promise<void> {
    return checkFolder(this.#db, this.#access, organizationId, folder)
  }

  async folders(mailbox: MailboxRef): Promise<FolderStatus[]> {
    const until = waitingEnds()
    const account = await this.#found(mailbox, until)
    if (!account) return []
    const listed = await this.#access.inMailbox(account, (session, layout) => layout.statuses(session), until)
    return listed.map(({ name, total, unread }) => ({ name, total, unread }))
  }

  async list(mailbox: MailboxRef, name: string, query: ListQuery): Promise<{ total: number; messages: Summary[] }> {
    return this.#in(mailbox, name, async (session, folder) => {
      const uids = await listed(session, query)
      const page = uids.slice(query.page * query.limit, (query.page + 1) * query.limit)
      const found = new Map(
        (await this.#contents.of(session, folder, name, realUids(page))).map((one) => [one.summary.uid, one]),
      )
      return { total: uids.length, messages: page.flatMap((uid) => found.get(uid)?.summary ?? []) }
    })
  }

  summaries(mailbox: MailboxRef, name: string, uids: readonly number[]): Promise<Summary[]> {
    return this.#in(mailbox, name, async (session, folder) => {
      const found = await this.#contents.of(session, folder, name, realUids(uids))
      return found.map(({ summary }) => summary)
    })
  }

  async read(mailbox: MailboxRef, name: string, uid: number): Promise<Stored | undefined> {
    const read = await this.#in(mailbox, name, async (session, folder) => {
      const [found] = await this.#contents.of(session, folder, name, realUids([uid]))
      if (!found) return undefined
      const { inFront, summary } = found
      const small = summary.sizeBytes <= pieceBytes
      const only = small ? await readPiece(session, uid, inFront, summary.sizeBytes) : undefined
      return { found, only, uidValidity: folder.selectedAt.uidValidity }
    })
    if (!read) return undefined
    const { summary, filteredBy } = read.found
    return { summary, filteredBy, pieces: () => this.#pieces(mailbox, read) }
  }

  async *#pieces(
    mailbox: MailboxRef,
    { found: { summary, inFront }, only, uidValidity }: { found: Found; only: Buffer | undefined; uidValidity: number },
  ): AsyncGenerator<Buffer> {
    if (only) {
      yield only
      return
    }
    const end = inFront + summary.sizeBytes
    for (let at = inFront; at < end; at += pieceBytes) {
      const length = Math.min(pieceBytes, end - at)
      const piece = await this.#in(mailbox, summary.folder, async (session, folder) =>
        folder.selectedAt.uidValidity === uidValidity ? readPiece(session, summary.uid, at, length) : undefined,
      )
      if (piece?.length !== length) throw notFound('message')
      yield piece
    }
  }

  async update(
    mailbox: MailboxRef,
    name: string,
    uids: readonly number[],
    change: Change,
  ): Promise<Map<number, Place>> {
    const { folder: target = name } = change
    return this.#inTurn(mailbox, name, async (session, folder, layout) => {
      const commands = flagCommands(folder, change)
      const path = layout.pathOf(target)
      const flags = await readFlags(session, folder, realUids(uids))
      const present = [...flags.keys()].sort((a, b) => a - b)
      if (present.length === 0) return new Map()
      const keywords = new Set([...flags.values()].flatMap((one) => one.keywords).concat(change.addKeywords ?? []))
      if (path !== folder.path) await assertKept(session, folder, path, keywords)
      for (const command of commands) await store(session, present, command)
      if (path === folder.path) return new Map(present.map((uid) => [uid, { folder: name, uid }]))
      const moved = await move(session, present, path)
      return new Map([...moved].map(([uid, there]) => [uid, { folder: target, uid: there }]))
    })
  }

  expunge(mailbox: MailboxRef, name: string, uids: readonly number[]): Promise<number[]> {
    return this.#inTurn(mailbox, name, async (session, folder) => {
      const present = await presentUids(session, folder, uids)
      if (present.length > 0) await expunge(session, present)
      return present
    })
  }

  async *empty(mailbox: MailboxRef): AsyncGenerator<number> {
    const account = await findAccount(this.#db, mailbox)
    if (account) yield* empty(this.#access, this.#spool, account)
  }

  async remove(mailbox: MailboxRef): Promise<void> {
    const account = await findAccount(this.#db, mailbox)
    if (account) await removeFolders(this.#access, account)
  }

  changes(mailbox: MailboxRef, name: string, since: FolderState | undefined): Promise<FolderChanges> {
    return this.#in(mailbox, name, async (session, folder) => {
      const step = await changes(session, folder, () => new ThreadRowsReader(this.#key, this.#reader), since)
      if (!step) throw noSuchFolder(name)
      return step
    })
  }

  storageUsed(organizationId: string): Promise<number> {
    return storageUsed(this.#db, this.#access, this.#found, organizationId)
  }

  storageOf(mailboxes: readonly MailboxRef[]): Promise<Map<string, number>> {
    return storageOf(this.#db, this.#access, this.#found, mailboxes)
  }

  async ping(): Promise<void> {
    await assertStillHere(this.#db, keptOnServer)
    const connection = await Connection.open(this.#server).catch((error) => {
      throw mailUnavailable(error)
    })
    connection.close()
  }

  async #in<T>(mailbox: MailboxRef, name: string, work: InFolder<T>): Promise<T> {
    const until = waitingEnds()
    return this.#access.inFolder(await this.#account(mailbox, until), name, work, until)
  }

  async #inTurn<T>(mailbox: MailboxRef, name: string, work: InFolder<T>): Promise<T> {
    const until = waitingEnds()
    const account = await this.#account(mailbox, until)
    return this.#access.inTurn(mailbox, () => this.#access.inFolder(account, name, work, until), until)
  }

  async #account(mailbox: MailboxRef, until: number): Promise<Account> {
    const account = await this.#found(mailbox, until)
    if (!account) throw notFound('mailbox')
    return account
  }

  /** What was taken on before a look at a mailbox is there when it is looked at, unless that takes too long. */
  readonly #found = async (mailbox: MailboxRef, until: number): Promise<Account | undefined> => {
    const account = await findAccount(this.#db, mailbox)
    if (account?.waiting) await this.#spool.deliver(account, until)
    return account
  }

  /** Lets in mail again for those who made room with another program. */
  async #measure(): Promise<void> {
    try {
      for (const organizationId of await nearlyFull(this.#db)) await this.storageUsed(organizationId)
    } catch (err) {
      this.#log.warn({ err }, 'the storage that organizations use could not be measured')
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#measuring)
    await this.#spool[Symbol.asyncDispose]()
    await this.#access[Symbol.asyncDispose]()
  }
}

/** When a request that begins now has waited long enough, by performance.now(). */
function waitingEnds(): number {
  return performance.now() + longestWait
}

/** In ascending order. */
async function presentUids(session: Session, folder: SelectedFolder, uids: readonly number[]): Promise<number[]> {
  const flags = await readFlags(session, folder, realUids(uids))
  return [...flags.keys()].sort((a, b) => a - b)
}

async function readPiece(
  { connection }: Session,
  uid: number,
  at: number,
  length: number,
): Promise<Buffer | undefined> {
  let piece: Buffer | undefined
  await connection.run(
    [`UID FETCH ${uid} (UID BODY.PEEK[]<${at}.${length}>)`],
    (data) => {
      const bytes = data.name === 'FETCH' ? bytesOf(attributes(data).get(`BODY[]<${at}>`)) : undefined
      piece ??= bytes
      return bytes !== undefined
    },
    patience.whole,
  )
  return piece
}
