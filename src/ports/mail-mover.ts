/** Where all mail can be carried: into the database, or to the IMAP server that the process is configured with. */
export const moveTargets = ['imap', 'database'] as const
export type MoveTarget = (typeof moveTargets)[number]

/** Carries all mail of an installation from one mail host to the other (docs/moving.md). */
export interface MailMover {
  /** Goes on where one before was broken off. Throws where it cannot come to its end; what was carried stays carried. */
  move(to: MoveTarget, tell: (progress: MoveProgress) => void): Promise<MoveReport>
}

export interface MoveProgress {
  readonly messages: number
  readonly bytes: number
  readonly mailboxes: number
  readonly ofMailboxes: number
}

export interface MoveReport {
  /** What this run has carried, and found in the other place as it was. */
  readonly messages: number
  readonly bytes: number
  /** SHA-256 over the digests of all messages that were read back, in any order. */
  readonly digest: string
  /** Folders that could not be called the same there. */
  readonly renamed: readonly { readonly mailboxId: string; readonly folder: string; readonly called: string }[]
  /** Keywords of other programs that no label can be. */
  readonly keywordsLost: number
}
