import type { Db, Tx } from '#/db/schema.ts'
import { assertStillHere, keptInDatabase } from '#/mailboxes/home.ts'
import type { IdHashKey } from '#/mime/id-hash.ts'
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
import { append } from './append.ts'
import { changes } from './changes.ts'
import { empty } from './empty.ts'
import { expunge } from './expunge.ts'
import { folderStatuses, openMailbox } from './folders.ts'
import { list, read, summaries } from './read.ts'
import { storageOf, storageUsed } from './storage.ts'
import { update } from './update.ts'

/** The embedded mail host: mail in the program's own database (docs/mail-host.md). */
export class SqlMailHost implements MailHost {
  readonly #db: Db
  readonly #key: IdHashKey

  constructor(db: Db, key: IdHashKey) {
    this.#db = db
    this.#key = key
  }

  open(tx: Tx, mailbox: MailboxRef): Promise<void> {
    return openMailbox(tx, mailbox)
  }

  append(tx: Tx, copies: readonly Copy[]): Promise<void> {
    return append(tx, this.#key, copies)
  }

  /** Nothing waits: what is taken is stored. */
  async hasRoom(_organizationId: string): Promise<boolean> {
    return true
  }

  /** A folder can have any name here. */
  async checkFolder(_organizationId: string, _folder: string): Promise<void> {}

  folders(mailbox: MailboxRef): Promise<FolderStatus[]> {
    return folderStatuses(this.#db, mailbox)
  }

  list(mailbox: MailboxRef, folder: string, query: ListQuery): Promise<{ total: number; messages: Summary[] }> {
    return list(this.#db, mailbox, folder, query)
  }

  summaries(mailbox: MailboxRef, folder: string, uids: readonly number[]): Promise<Summary[]> {
    return summaries(this.#db, mailbox, folder, uids)
  }

  read(mailbox: MailboxRef, folder: string, uid: number): Promise<Stored | undefined> {
    return read(this.#db, mailbox, folder, uid)
  }

  update(mailbox: MailboxRef, folder: string, uids: readonly number[], change: Change): Promise<Map<number, Place>> {
    return update(this.#db, mailbox, folder, uids, change)
  }

  expunge(mailbox: MailboxRef, folder: string, uids: readonly number[]): Promise<number[]> {
    return expunge(this.#db, mailbox, folder, uids)
  }

  empty(mailbox: MailboxRef): AsyncIterable<number> {
    return empty(this.#db, mailbox)
  }

  /** They go with the mailbox's own row. */
  async remove(_mailbox: MailboxRef): Promise<void> {}

  changes(mailbox: MailboxRef, folder: string, since: FolderState | undefined): Promise<FolderChanges> {
    return changes(this.#db, mailbox, folder, since)
  }

  storageUsed(organizationId: string): Promise<number> {
    return storageUsed(this.#db, organizationId)
  }

  storageOf(mailboxes: readonly MailboxRef[]): Promise<Map<string, number>> {
    return storageOf(this.#db, mailboxes)
  }

  async ping(): Promise<void> {
    await assertStillHere(this.#db, keptInDatabase)
  }
}
