/** An IMAP server with two filled mailboxes, of which the second is for programs that copy all of it. */
export interface Peer {
  readonly port: number
  readonly login: string
  readonly syncing: string
  readonly password: string
}

/** As many connections as a mailbox may have. */
export const perMailbox = 20
