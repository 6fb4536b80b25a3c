import type { Generated, JSONColumnType } from 'kysely'

export interface MailTables {
  mail_folders: MailFolders
  mail_contents: MailContents
  mail_pieces: MailPieces
  mail_structures: MailStructures
  mail_messages: MailMessages
  mail_keywords: MailKeywords
  mail_keyword_totals: MailKeywordTotals
  mail_expunged: MailExpunged
  mail_search: MailSearch
  mail_search_queue: MailSearchQueue
  mail_words: MailWords
}

/** A filter that acted on a message at arrival. `personal` for a member's own, which no key may see. `error` says why its
 *  action was not possible. */
export type AppliedFilter = {
  filter_id: string
  name: string
  action: string
  argument: string | null
  personal?: true
}

interface MailFolders {
  /** Also the UIDVALIDITY. */
  id: Generated<number>
  organization_id: string
  mailbox_id: string
  name: string
  uid_next: Generated<number>
  modseq: Generated<number>
  expunged_from: Generated<number>
  total: Generated<number>
  unread: Generated<number>
  size_bytes: Generated<number>
}

interface MailContents {
  id: Generated<number>
  organization_id: string
  copies: number
  /** Null if they are in `mail_pieces`. */
  bytes: Buffer | null
  message_id: string | null
  thread_root: string | null
  subject: string
  from_name: string | null
  from_address: string | null
  recipients: JSONColumnType<{ name: string; address: string }[]>
  has_attachment: boolean
  preview: string
  /** Those of src/formats/mime/header/header-facts.ts, with `senders`, for filters, and `groups`, for SEARCH (src/mail/store/append-rows.ts). */
  facts: JSONColumnType<object>
}

interface MailPieces {
  content_id: number
  number: number
  bytes: Buffer
}

interface MailStructures {
  organization_id: string
  content_id: number
  /** An `Entity` (src/formats/mime/entity/entity.ts) as JSON. */
  structure: string
}

interface MailMessages {
  /** Kept by moves, new for a copy, never given again (src/base/text/message-id.ts). */
  id: Generated<number>
  /** The EMAILID of IMAP, if it is not the id (docs/reference/imap.md#how-do-messages-correspond-to-the-api). */
  email_id: Generated<number | null>
  /** The id of the message in the same mailbox that this one is a copy of, unless it has been moved since. */
  succeeds: Generated<number | null>
  folder_id: number
  uid: number
  modseq: number
  content_id: number
  received_at: Date
  size_bytes: number
  seen: boolean
  flagged: boolean
  answered: Generated<boolean>
  forwarded: Generated<boolean>
  /** `\Deleted` and `\Draft` of IMAP. */
  deleted: Generated<boolean>
  /** When a mail program marked it so. */
  deleted_at: Generated<Date | null>
  draft: Generated<boolean>
  /** When it came into its folder. */
  saved_at: Generated<Date>
  /** Until then it goes if a mail program stores the same message in its folder. */
  yields_until: Generated<Date | null>
  keywords: string[]
  sender: string
  id_hash: Buffer | null
  strong: Buffer
  weak: Buffer
  filtered_by: JSONColumnType<AppliedFilter[]> | null
}

interface MailKeywords {
  folder_id: number
  keyword: string
  received_at: Date
  uid: number
  seen: boolean
}

interface MailKeywordTotals {
  folder_id: number
  keyword: string
  total: number
  unread: number
}

interface MailExpunged {
  folder_id: number
  modseq: number
  uid: number
}

interface MailSearch {
  content_id: number
  organization_id: string
  /** See src/mail/search-index/index-text.ts. */
  words: string
  /** See src/mail/search-index/rest-text.ts. */
  rest: Generated<string>
  whole: Generated<boolean>
  ordered: Generated<boolean>
}

/** All words of the index, and perhaps some that it had. */
interface MailWords {
  organization_id: string
  word: string
}

interface MailSearchQueue {
  /** Of the content. */
  id: number
  organization_id: string
  leased_until: Date | null
  lease_epoch: Generated<number>
}
