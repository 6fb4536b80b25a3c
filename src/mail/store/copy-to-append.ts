import type { AppliedFilter as Applied } from '#/base/db/schema/mail.ts'
import type { Originals } from '#/formats/mime/header/originals.ts'
import type { Message } from '#/formats/mime/message.ts'
import type { MailboxRef } from './mailbox-ref.ts'

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
