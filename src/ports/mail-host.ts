import type { Actor } from '#/audit/actor.ts'
import type { Tx } from '#/db/schema.ts'
import type { AppliedFilter as Applied } from '#/db/schema/mail.ts'
import type { Address } from '#/mime/address/address.ts'
import type { HeaderFacts } from '#/mime/header/header-facts.ts'
import type { Message } from '#/mime/message.ts'
import type { FolderChanges, FolderState } from './folder-changes.ts'
import type { FolderKey, Recording } from './recording.ts'
import type { SearchPage, SearchQuery } from './search.ts'

/** Where mail lives: folders of messages with flags and keywords, as IMAP has them (RFC 9051). Every call names the
 *  organization beside the mailbox, so none can reach across. A host that does not answer is `mailUnavailable`; a
 *  mailbox that is not there is `notFound('mailbox')`, a folder that is not there `invalid('folder', …)`. Folder names
 *  are `inbox`, `sent`, `drafts`, `archive`, `junk`, `trash`, or a path. */
export interface MailHost {
  /** Readies a new mailbox: the six folders are there from the start. */
  open(tx: Tx, mailbox: MailboxRef): Promise<void>
  /** Stores each copy, making its folder where that lacks. Once `tx` commits, the host is responsible for the mail; what it
   *  can never have in its folder goes to the inbox, and its `filteredBy` says why. Throws `not_found` where a mailbox is
   *  gone, `NoRoom` where too much of an organization's mail waits for the host; then none of `tx` may be kept. */
  append(tx: Tx, copies: readonly Copy[]): Promise<void>
  /** The same for arriving mail, with its arrivals recorded, in the first and only statement of `tx`, by a host that can. False
   *  where that does not do, as with a duplicate, a suspended mailbox or a folder that lacks; then none of `tx` may be kept. */
  appendNew?(tx: Tx, copies: readonly Copy[], arrivals: readonly Arrival[]): Promise<boolean>
  /** Whether `append` accepts mail of the organization just now, as far as is known. */
  hasRoom(organizationId: string): Promise<boolean>
  /** Stores a draft in `drafts`, read and marked as one, in place of those that it replaces, of which the newest must still be
   *  there. Answers its uid; undefined, with nothing changed, where that has gone. */
  saveDraft(mailbox: MailboxRef, draft: Draft, by?: Actor): Promise<number | undefined>
  /** The uids of the messages in `drafts` with a Message-ID that begins with `<draft.`, in ascending order. */
  draftsNamed(mailbox: MailboxRef, messageId: string): Promise<number[]>
  folders(mailbox: MailboxRef): Promise<FolderStatus[]>
  /** The same folders, each with its state: where that is as it was, nothing in the folder has changed. */
  folderStates(mailbox: MailboxRef): Promise<{ readonly name: string; readonly state: FolderState }[]>
  /** Makes a folder. False where it was there. */
  createFolder(mailbox: MailboxRef, folder: string): Promise<boolean>
  /** Renames a folder and those within it. Throws `invalid('folder', …)` where one of the new name is there. */
  renameFolder(mailbox: MailboxRef, folder: string, to: string): Promise<void>
  /** Removes a folder without others in it. False, with all mail in place, where it has messages. */
  removeFolder(mailbox: MailboxRef, folder: string): Promise<boolean>
  /** Throws `invalid('folder', …)` for a name that no mailbox of the organization can ever have a folder by, as far as the
   *  host says so. */
  checkFolder(organizationId: string, folder: string): Promise<void>
  /** Newest received first; those behind `after` alone. `page` counts from 0; `total` is exact, and counts those before `after` too. */
  list(mailbox: MailboxRef, folder: string, query: ListQuery): Promise<{ total: number; messages: Summary[] }>
  /** How many messages of all folders bear each keyword. A host that has to look for it refuses very many mailboxes, naming
   *  `mailbox`. */
  keywordTotals(mailboxes: readonly MailboxRef[]): Promise<KeywordTotal[]>
  /** Those of the uids that are in the folder, in ascending order. */
  summaries(mailbox: MailboxRef, folder: string, uids: readonly number[]): Promise<Summary[]>
  /** The lowest uids above that one, in ascending order. */
  uidsAfter(mailbox: MailboxRef, folder: string, uid: number, most: number): Promise<number[]>
  /** The uids of the messages that bear a mark, by folder, of the folders that are named. */
  marked(mailbox: MailboxRef, folders: readonly string[], mark: Mark): Promise<Map<string, readonly number[]>>
  /** How far the folder goes. */
  extent(mailbox: MailboxRef, folder: string): Promise<Extent>
  /** Those of the range, in ascending order, with what filters look at: no more than `most`. */
  headings(mailbox: MailboxRef, folder: string, range: UidRange): Promise<HeadingPage>
  read(mailbox: MailboxRef, folder: string, uid: number): Promise<Stored | undefined>
  /** A page of what a query finds in mailboxes of one organization, none of them Private. Ends early rather than take long, and
   *  says so. */
  search(mailboxes: readonly MailboxRef[], query: SearchQuery): Promise<SearchPage>
  /** Applies the change to all or none; answers, for each uid that was there, where the message is now. The event log says
   *  who did it. What it did is handed to `recording`. */
  update(
    mailbox: MailboxRef,
    folder: string,
    uids: readonly number[],
    change: Change,
    by?: Actor,
    recording?: Recording,
  ): Promise<Map<number, Place>>
  /** What the folder is called by now; undefined where it has gone, or where the host knows it by its name alone and another has
   *  that name. */
  folderNow(mailbox: MailboxRef, folder: FolderKey): Promise<string | undefined>
  /** Removes messages for good; answers the uids that were there, in ascending order. */
  expunge(mailbox: MailboxRef, folder: string, uids: readonly number[], by?: Actor): Promise<number[]>
  /** Removes all messages for good, in steps that others need not wait for; says after each how many have gone. Whoever
   *  stops asking leaves the rest there. */
  empty(mailbox: MailboxRef): AsyncIterable<number>
  /** Removes what is left of a mailbox that is empty and will not be used again: its folders. */
  remove(mailbox: MailboxRef): Promise<void>
  /** What came, changed and went since the state; everything where there is no state or it no longer holds. */
  changes(mailbox: MailboxRef, folder: string, since: FolderState | undefined): Promise<FolderChanges>
  /** Bytes of mail that the organization keeps. */
  storageUsed(organizationId: string): Promise<number>
  /** Bytes of mail in each of the mailboxes, by mailbox id. */
  storageOf(mailboxes: readonly MailboxRef[]): Promise<Map<string, number>>
  /** Resolves when the host answers. */
  ping(): Promise<void>
}

/** So much of these organizations' mail waits for the host that no more is accepted. SMTP replies as to a full disk. */
export class NoRoom extends Error {
  readonly code = 'ENOSPC'
  readonly organizationIds: ReadonlySet<string>

  constructor(organizationIds: ReadonlySet<string>) {
    super('Too much mail waits for the mail server')
    this.name = 'NoRoom'
    this.organizationIds = organizationIds
  }
}

/** A message at a mailbox, identified by a digest. */
export interface Arrival {
  readonly mailboxId: string
  readonly digest: Buffer
}

export type MailboxRef = { readonly organizationId: string; readonly mailboxId: string }
export type Place = { readonly folder: string; readonly uid: number }
export type FolderStatus = { readonly name: string; readonly total: number; readonly unread: number }
export type KeywordTotal = { readonly keyword: string; readonly total: number; readonly unread: number }
export type ListQuery = { limit: number; page: number; unread?: boolean; keyword?: string; after?: ListPlace }
/** A message's place in a list, where it may be no more. */
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
  readonly keywords: readonly string[]
  readonly filteredBy: readonly Applied[]
  /** A Message-ID. A host that other programs reach waits a while for one of them to put a message of that id into the folder,
   *  and does not store the copy then. */
  readonly unlessThere?: string
}

export interface Draft {
  /** With a Message-ID that begins with `<draft.`. */
  readonly message: Message
  readonly savedAt: Date
  /** Uids, in ascending order. */
  readonly replaces: readonly number[]
}

export interface Summary {
  readonly uid: number
  readonly folder: string
  readonly messageId: string | null
  /** First strong reference, else the message's own id: what a conversation is named after (docs/reference/threads.md). */
  readonly threadRoot: string | null
  readonly subject: string
  readonly from: Address | null
  /** The first 100. */
  readonly to: readonly Address[]
  readonly receivedAt: Date
  readonly seen: boolean
  readonly flagged: boolean
  readonly keywords: readonly string[]
  readonly hasAttachment: boolean
  readonly preview: string
  readonly sizeBytes: number
  readonly facts: HeaderFacts
}

export interface Extent {
  readonly uidValidity: number
  /** What comes gets a higher one. */
  readonly lastUid: number
  readonly total: number
}

/** Uids above `after`, up to `last`. */
export interface UidRange {
  readonly after: number
  readonly last: number
  readonly most: number
  /** Whether the header is wanted; else it is empty. */
  readonly withHeader: boolean
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
  /** The beginning of the message, or the fields From, Sender, To, Cc and Received of it at least. */
  readonly header: Buffer
}

export interface Stored {
  readonly summary: Summary
  readonly filteredBy: readonly Applied[]
  /** The message's bytes in pieces of at most a MiB, fetched as they are asked for, since few need all of a large message
   *  in memory. Throws `not_found` where it has gone meanwhile. May be called again. */
  pieces(): AsyncIterable<Buffer>
}

export interface Change {
  readonly seen?: boolean
  readonly flagged?: boolean
  readonly addKeywords?: readonly string[]
  readonly removeKeywords?: readonly string[]
  /** Moves, making the folder where it lacks. Every message gets a new uid there. */
  readonly folder?: string
}
