/** A mailbox of an organization. All that reads or writes mail names both, so that none can cross. */
export type MailboxRef = { readonly organizationId: string; readonly mailboxId: string }
