/** Commands to an IMAP server beside IMAP. Each throws `mail_unavailable` if it failed. */
export interface MailServerControl {
  /** Ends the sessions that mail programs have in these mailboxes. */
  kick(mailboxIds: readonly string[]): Promise<void>
  /** The same, and once more for those that were just beginning: takes seconds. */
  endSessions(mailboxIds: readonly string[]): Promise<void>
  /** Has the server free the space of all that was removed from a mailbox. */
  purge(mailboxId: string): Promise<void>
  /** Whether it takes these commands from us, without any effect. */
  try(): Promise<void>
}
