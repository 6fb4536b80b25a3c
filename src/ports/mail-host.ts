import type { Actor } from '#/audit/actor.ts'
import type { AppliedFilter as Applied } from '#/db/schema/mail.ts'
import type { Tx } from '#/db/schema.ts'
import type { By } from '#/events/append.ts'
import type { Address } from '#/mime/address/address.ts'
import type { HeaderFacts } from '#/mime/header/header-facts.ts'
import type { Originals } from '#/mime/header/originals.ts'
import type { Message } from '#/mime/message.ts'
import type { FolderChanges, FolderState } from './folder-changes.ts'
import type { FolderKey, Recording } from './recording.ts'
import type { SearchPage, SearchQuery } from './search.ts'

/** Where mail is kept: folders of messages with flags and keywords, as in IMAP (RFC 9051). Every call names organization and
 *  mailbox, so that none can cross. Errors: `mailUnavailable` if the host does not answer, `notFound('mailbox')`,
 *  `invalid('folder', …)`. Folder names are `inbox`, `sent`, `drafts`, `archive`, `junk`, `trash`, or a path. */
export interface MailHost {
  /** Prepares a new mailbox. It has the six folders from the start. */
  open(tx: Tx, mailbox: MailboxRef): Promise<void>
  /** Stores each copy and creates its folder if needed. Once `tx` commits, the host is responsible for the mail. Mail that
   *  it can never store in its folder goes to the inbox; its `filteredBy` says why. Throws `not_found` if a mailbox is
   *  deleted, and `NoRoom` if too much mail of an organization waits for the host; then `tx` must be rolled back. The event log
   *  says who marked the originals of a copy. */
  append(tx: Tx, copies: readonly Copy[], by?: By): Promise<void>
  /** The same for arriving mail, with its arrivals recorded, in one statement that is a transaction of its own.
   *  False, with nothing written, if more is needed: a duplicate, a suspended mailbox, a missing folder. */
  appendNew(copies: readonly Copy[], arrivals: readonly Arrival[]): Promise<boolean>
  /** Stores a draft in `drafts`, marked as read and as a draft, in place of those that it replaces. Answers its uid.
   *  Undefined, with nothing changed, if the newest of those is no longer there. */
  saveDraft(mailbox: MailboxRef, draft: Draft, by?: Actor): Promise<number | undefined>
  folders(mailbox: MailboxRef): Promise<FolderStatus[]>
  /** The same folders with their states. In a folder with an unchanged state nothing has changed. */
  folderStates(mailbox: MailboxRef): Promise<{ readonly name: string; readonly state: FolderState }[]>
  /** Creates a folder. False if it exists. */
  createFolder(mailbox: MailboxRef, folder: string): Promise<boolean>
  /** Renames a folder and those within it. Throws `invalid('folder', …)` if the new name exists. */
  renameFolder(mailbox: MailboxRef, folder: string, to: string): Promise<void>
  /** Removes a folder that has no others in it. False, with all mail in place, if it has messages. */
  removeFolder(mailbox: MailboxRef, folder: string): Promise<boolean>
  /** Newest received first, those after `after` only. `page` counts from 0. `total` is exact and includes those before
   *  `after`. */
  list(mailbox: MailboxRef, folder: string, query: ListQuery): Promise<{ total: number; messages: Summary[] }>
  /** The number of messages with each keyword, over all folders. */
  keywordTotals(mailboxes: readonly MailboxRef[]): Promise<KeywordTotal[]>
  /** Those of the uids that are in the folder, in ascending order. */
  summaries(mailbox: MailboxRef, folder: string, uids: readonly number[]): Promise<Summary[]>
  /** The lowest uids above this one, in ascending order. */
  uidsAfter(mailbox: MailboxRef, folder: string, uid: number, most: number): Promise<number[]>
  /** The uids of the messages with a mark, by folder, in these folders. */
  marked(mailbox: MailboxRef, folders: readonly string[], mark: Mark): Promise<Map<string, readonly number[]>>
  /** The size and last uid of the folder. */
  extent(mailbox: MailboxRef, folder: string): Promise<Extent>
  /** The messages of the range, in ascending order, with what filters read: at most `most`. */
  headings(mailbox: MailboxRef, folder: string, range: UidRange): Promise<HeadingPage>
  read(mailbox: MailboxRef, folder: string, uid: number): Promise<Stored | undefined>
  /** Messages of an organization by their ids, wherever they are: those that are there, each once. Who asks for them may not be one to
   *  whom the mailbox is shown. */
  findNamed(organizationId: string, ids: readonly string[]): Promise<NamedMessage[]>
  summariesNamed(organizationId: string, ids: readonly string[]): Promise<NamedSummary[]>
  readNamed(organizationId: string, id: string): Promise<NamedStored | undefined>
  /** As `update`, of messages of one organization by their ids, in one transaction: `recording` gets what it did in each folder. Answers
   *  the ids that were there, and where their messages are now. */
  updateNamed(
    organizationId: string,
    ids: readonly string[],
    change: Change,
    by?: Actor,
    recording?: NamedRecording,
  ): Promise<Map<string, Place>>
  /** As `expunge`, of messages of one organization by their ids. Answers those that were there. */
  expungeNamed(
    organizationId: string,
    ids: readonly string[],
    by?: Actor,
    record?: (tx: Tx, gone: readonly string[]) => Promise<void>,
  ): Promise<string[]>
  /** A page of results in mailboxes of one organization, none of them Private. A search that would take long ends early and
   *  says so. */
  search(mailboxes: readonly MailboxRef[], query: SearchQuery): Promise<SearchPage>
  /** Applies the change to all messages or to none. Answers, for each uid that was there, where the message is now. The
   *  event log says who did it; `recording` gets what it did. */
  update(
    mailbox: MailboxRef,
    folder: string,
    uids: readonly number[],
    change: Change,
    by?: Actor,
    recording?: Recording,
  ): Promise<Map<number, Place>>
  /** The folder's current name. Undefined if it is deleted. */
  folderNow(mailbox: MailboxRef, folder: FolderKey): Promise<string | undefined>
  /** Deletes messages for good. Answers the uids that were there, in ascending order. `record` gets them in the transactions that
   *  delete them, one of which is enough unless messages are very large. */
  expunge(
    mailbox: MailboxRef,
    folder: string,
    uids: readonly number[],
    by?: Actor,
    record?: (tx: Tx, gone: readonly number[]) => Promise<void>,
  ): Promise<number[]>
  /** Deletes all messages for good, in short steps. Yields after each step how many are deleted. The rest stays if the
   *  caller stops. */
  empty(mailbox: MailboxRef): AsyncIterable<number>
  /** What was added, changed and removed since the state; everything without a state, or with an invalid one. */
  changes(mailbox: MailboxRef, folder: string, since: FolderState | undefined): Promise<FolderChanges>
  /** Bytes of the organization's mail. */
  storageUsed(organizationId: string): Promise<number>
  /** Bytes of mail in each of the mailboxes, by mailbox id. */
  storageOf(mailboxes: readonly MailboxRef[]): Promise<Map<string, number>>
}

/** The arrival of a message at a mailbox, identified by a digest. */
export interface Arrival {
  readonly mailboxId: string
  readonly digest: Buffer
}

export type MailboxRef = { readonly organizationId: string; readonly mailboxId: string }
/** The mailbox of a message that is found by its id. */
export type MailboxOfMessage = MailboxRef & { readonly address: string; readonly kind: 'smart' | 'private' }
export type Place = { readonly folder: string; readonly uid: number }
export type FolderStatus = { readonly name: string; readonly total: number; readonly unread: number }
export type KeywordTotal = { readonly keyword: string; readonly total: number; readonly unread: number }
export type ListQuery = { limit: number; page: number; unread?: boolean; keyword?: string; after?: ListPlace }
/** A message's place in a list. The message itself may be deleted. */
export type ListPlace = { readonly receivedAt: number; readonly uid: number }
export type Mark = 'flagged' | { readonly keyword: string }
export type { Applied }

export interface Copy {
  readonly mailbox: MailboxRef
  readonly folder: string
  readonly message: Message
  readonly receivedAt: Date
  readonly seen: boolean
  readonly flagged: boolean
  /** Whether it is marked as answered or forwarded already. */
  readonly answered?: boolean
  readonly forwarded?: boolean
  /** Whether it bears `\Deleted` or `\Draft` of IMAP. */
  readonly deleted?: boolean
  readonly draft?: boolean
  readonly keywords: readonly string[]
  readonly filteredBy: readonly Applied[]
  /** A Message-ID. The copy is not stored if a mail program has stored a message with that id in the folder, and goes if one does so
   *  within ten minutes. */
  readonly unlessThere?: string
  /** Messages that this one answers or forwards: those of the mailbox are marked so, in whatever folders they are. */
  readonly originals?: Originals
}

export interface Draft {
  /** With a Message-ID that begins with `<draft.`. */
  readonly message: Message
  readonly savedAt: Date
  /** Uids, in ascending order. */
  readonly replaces: readonly number[]
  /** Records the message with this uid, in the transaction that stores it. */
  readonly record?: (tx: Tx, uid: number) => Promise<void>
}

export interface Summary {
  /** As others are shown it (src/message-id.ts). */
  readonly id: string
  readonly uid: number
  readonly folder: string
  readonly messageId: string | null
  /** The first strong reference, else the message's own id. It names the conversation (docs/reference/threads.md). */
  readonly threadRoot: string | null
  readonly subject: string
  readonly from: Address | null
  /** The first 100. */
  readonly to: readonly Address[]
  readonly receivedAt: Date
  readonly seen: boolean
  readonly flagged: boolean
  readonly answered: boolean
  readonly forwarded: boolean
  readonly keywords: readonly string[]
  readonly hasAttachment: boolean
  readonly preview: string
  readonly sizeBytes: number
  readonly facts: HeaderFacts
}

/** Where a message is that is found by its id. */
export interface NamedMessage extends Place {
  readonly id: string
  readonly mailbox: MailboxOfMessage
  readonly folderId: number
  readonly sizeBytes: number
}
export type NamedSummary = { readonly mailbox: MailboxOfMessage; readonly summary: Summary }
export type NamedStored = { readonly mailbox: MailboxOfMessage; readonly stored: Stored }

/** Records a change of messages that are named by their ids. */
export interface NamedRecording extends Partial<Pick<Recording, 'settle'>> {
  /** Called at the end, in the transaction, with what the change answers. */
  settled?(tx: Tx, places: ReadonlyMap<string, Place>): Promise<void>
}

export interface Extent {
  readonly uidValidity: number
  /** New messages get higher uids. */
  readonly lastUid: number
  readonly total: number
}

/** Uids above `after`, up to `last`. */
export interface UidRange {
  readonly after: number
  readonly last: number
  readonly most: number
  /** What is read beside the subject. What is not may be empty. */
  readonly wanted: 'subject' | 'senders' | 'header'
}

export interface HeadingPage {
  readonly uidValidity: number
  readonly messages: readonly Heading[]
}

export interface Heading {
  readonly uid: number
  readonly seen: boolean
  readonly flagged: boolean
  readonly keywords: readonly string[]
  readonly subject: string
  /** Everyone in From and Sender. If it is undefined, the header says it. */
  readonly senders: readonly Address[] | undefined
  /** The beginning of the message, with at least the fields From, Sender, To, Cc and Received. */
  readonly header: Buffer
}

export interface Stored {
  readonly summary: Summary
  readonly filteredBy: readonly Applied[]
  /** The message's bytes in pieces of at most a MiB. Each is fetched when needed, since few callers need all of a large
   *  message in memory. Throws `not_found` if the message is deleted meanwhile. May be called again. */
  pieces(): AsyncIterable<Buffer>
}

export interface Change {
  readonly seen?: boolean
  readonly flagged?: boolean
  readonly addKeywords?: readonly string[]
  readonly removeKeywords?: readonly string[]
  /** Moves, creating the folder if needed. Every message gets a new uid there. */
  readonly folder?: string
}
