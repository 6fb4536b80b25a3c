/** Commands to an IMAP server outside IMAP. Each throws `mail_unavailable` if it failed. */
export interface MailServerControl {
  /** Ends the sessions of mail programs in these mailboxes. */
  kick(mailboxIds: readonly string[]): Promise<void>
  /** The same, and again for sessions that were just beginning: takes seconds. */
  endSessions(mailboxIds: readonly string[]): Promise<void>
  /** Frees the space of what was removed from a mailbox. */
  purge(mailboxId: string): Promise<void>
  /** Whether it accepts our commands; without effect. */
  try(): Promise<void>
}
