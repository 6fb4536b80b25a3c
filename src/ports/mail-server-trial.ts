import type { ImapServer } from './servers.ts'

/** The result of a trial of an IMAP server, which connects as mail does. `why` is a sentence about the fault. */
export type MailServerTrial =
  /** No server answers, or none that can be trusted. */
  | { readonly ended: 'unreachable'; readonly why: string }
  /** It does not let us act for the mailbox. */
  | { readonly ended: 'refused'; readonly why: string }
  /** It lacks what mail requires. */
  | { readonly ended: 'unfit'; readonly why: string }
  /** It answers. Only a trial in a mailbox shows what it can do. */
  | { readonly ended: 'without a mailbox' }
  /** It has all that mail requires. What it lacks makes some operations slower or less exact. */
  | { readonly ended: 'well'; readonly lacking: readonly Helpful[] }

/** Extensions of IMAP that make mail faster or more exact. */
export type Helpful = 'QRESYNC' | 'STATUS=SIZE or QUOTA'

/** Tries an IMAP server in a mailbox, by its id, if there is one. Changes nothing there. */
export type TryMailServer = (server: ImapServer, mailboxId: string | undefined) => Promise<MailServerTrial>
