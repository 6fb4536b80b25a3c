import type { ImapServer } from './servers.ts'

/** How a trial of an IMAP server ended, which connects as mail does. `why` says in a sentence what failed. */
export type MailServerTrial =
  /** Nobody answers, or nobody who can be trusted. */
  | { readonly ended: 'unreachable'; readonly why: string }
  /** It does not let us act for the mailbox. */
  | { readonly ended: 'refused'; readonly why: string }
  /** It lacks what mail cannot do without. */
  | { readonly ended: 'unfit'; readonly why: string }
  /** It answers; what it does for us shows in a mailbox alone. */
  | { readonly ended: 'without a mailbox' }
  /** It does all that is needed; some of that takes longer or is less exact without what it lacks. */
  | { readonly ended: 'well'; readonly lacking: readonly Helpful[] }

/** Extensions of IMAP that make mail quicker, or exact. */
export type Helpful = 'QRESYNC' | 'STATUS=SIZE or QUOTA'

/** Tries an IMAP server in a mailbox, by its id, if there is one. Nothing is changed there. */
export type TryMailServer = (server: ImapServer, mailboxId: string | undefined) => Promise<MailServerTrial>
