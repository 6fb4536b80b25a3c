import type { NewEvent } from '#/events/append.ts'
import type { MailboxRef } from '#/ports/mail-host.ts'

/** A message that was stored. */
interface StoredCopy {
  readonly mailbox: MailboxRef
  readonly folder: string
  /** Null where the mail server does not tell it. */
  readonly uid: number | null
}

/** The events of messages that were stored. A copy in Sent has not been received. */
export function received(copies: readonly StoredCopy[]): NewEvent[] {
  return copies
    .filter(({ folder }) => folder !== 'sent')
    .map(({ mailbox: { organizationId, mailboxId }, folder, uid }) => {
      return { organizationId, type: 'message.received', mailboxId, data: { folder, uid } }
    })
}
