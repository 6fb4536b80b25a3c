import type { NewEvent } from '#/events/append.ts'
import type { MailboxRef } from '#/ports/mail-host.ts'

/** The type of the event for what a mail program stores or copies: nobody receives a draft, or what is sent. */
export function storedType(folder: string): 'message.received' | 'message.changed' {
  return folder === 'drafts' || folder === 'sent' ? 'message.changed' : 'message.received'
}

/** The events of what a mail program has stored in a folder. */
export function stored({ organizationId, mailboxId }: MailboxRef, folder: string, uids: readonly number[]): NewEvent[] {
  return uids.map((uid) => ({ organizationId, type: storedType(folder), mailboxId, data: { folder, uid } }))
}
