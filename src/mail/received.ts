import type { NewEvent } from '#/events/append.ts'
import type { MailboxRef } from '#/ports/mail-host.ts'

/** A stored message. */
interface StoredCopy {
  readonly mailbox: MailboxRef
  readonly folder: string
  /** Null if the mail server does not report it. */
  readonly uid: number | null
}

/** The events of stored messages. A copy in Sent has not been received. */
export function received(copies: readonly StoredCopy[]): NewEvent[] {
  return copies
    .filter(({ folder }) => folder !== 'sent')
    .map(({ mailbox: { organizationId, mailboxId }, folder, uid }) => {
      return { organizationId, type: 'message.received', mailboxId, data: { folder, uid } }
    })
}
