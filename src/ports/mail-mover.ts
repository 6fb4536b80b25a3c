/** Where all mail can be moved to: the database, or the configured IMAP server. */
export const moveTargets = ['imap', 'database'] as const
export type MoveTarget = (typeof moveTargets)[number]

/** Moves all mail of an installation from one mail host to the other (docs/moving.md). */
export interface MailMover {
  /** Continues an interrupted run. Throws if it cannot finish; moved mail stays moved. */
  move(to: MoveTarget, onProgress: (progress: MoveProgress) => void): Promise<MoveReport>
}

export interface MoveProgress {
  readonly messages: number
  readonly bytes: number
  readonly mailboxes: number
  readonly ofMailboxes: number
}

export interface MoveReport {
  /** Messages that this run has moved or found in the other place. */
  readonly messages: number
  readonly bytes: number
  /** SHA-256 over the digests of all messages that were read back, independent of order. */
  readonly digest: string
  /** Folders that could not have the same name there. */
  readonly renamed: readonly { readonly mailboxId: string; readonly folder: string; readonly called: string }[]
  /** Keywords of other programs that cannot be labels. */
  readonly keywordsLost: number
}
