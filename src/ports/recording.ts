import type { Tx } from '#/db/schema.ts'
import type { MailboxRef } from './mail-host.ts'

/** The part of a message in a folder that can be changed. */
export interface Held {
  readonly uid: number
  readonly seen: boolean
  readonly flagged: boolean
  readonly keywords: readonly string[]
}

/** A folder with its UIDVALIDITY, without which uids have no meaning. */
export interface FolderKey {
  readonly name: string
  readonly key: number
}

/** What a change did to messages of one folder. */
export interface Did {
  readonly mailbox: MailboxRef
  readonly source: FolderKey
  readonly target: FolderKey
  /** The messages named by the change that were there, in their state before it. */
  readonly present: readonly Held[]
  /** Those of them that have changed. */
  readonly pairs: readonly { readonly before: Held; readonly after: Held }[]
}

/** Records what a change does, for undo. Each change has its own. */
export interface Recording {
  /** Called in the transaction of the change, also if nothing has changed. A host without transactions calls it right after,
   *  in the transaction that logs the change. */
  settle(tx: Tx, did: Did): Promise<void>
  /** A host without transactions calls this before it begins. New uids of moved messages are unknown then. */
  intend(did: Did): Promise<void>
}
