import type { MailboxRef } from '#/mail/mailbox-ref.ts'
import type { NumberRange } from '../wire/sequence-set.ts'
import type { SequenceMap } from './sequence-map.ts'

/** The mailbox that a session has selected. */
export interface Selected {
  readonly mailbox: MailboxRef
  /** As IMAP names it: `INBOX`, `Sent`, `Shared/team@example.com/Projects`. */
  readonly name: string
  /** As the store names it: `inbox`, `sent`, `Projects`. It may be renamed meanwhile. */
  readonly folder: string
  /** Also its UIDVALIDITY. */
  readonly folderId: number
  /** EXAMINE, or a right that lacks. */
  readonly isReadOnly: boolean
  /** Messages as the client knows them. */
  readonly messages: SequenceMap
  /** What `$` stands for (RFC 5182). */
  savedSearch: readonly NumberRange[]
  /** Whether the client was told of all changes that were announced: its messages are those that are there. */
  readonly isCurrent: boolean
  /** The client is told of changes up to this modification sequence. */
  readonly modseq: number
  /** To be called by a command that has changed flags, and has told the client what they are now, or need not (`.SILENT`): what has
   *  this modification sequence is not told again. `except` are uids of those whose modification sequence was above `modseq`
   *  before the change, if their flags were not told: the client does not know what they were. */
  knows(modseq: number, except?: Iterable<number>): void
}
