import type { Tx } from '#/db/schema.ts'
import type { MailboxRef } from './mail-host.ts'

/** What can be changed of a message in a folder. */
export interface Held {
  readonly uid: number
  readonly seen: boolean
  readonly flagged: boolean
  readonly keywords: readonly string[]
}

/** A folder with its UIDVALIDITY: uids mean something under both alone. */
export interface FolderKey {
  readonly name: string
  readonly key: number
}

/** What a change of messages of one folder did. */
export interface Did {
  readonly mailbox: MailboxRef
  readonly source: FolderKey
  readonly target: FolderKey
  /** Those of the messages asked for that were there, as they were. */
  readonly present: readonly Held[]
  /** Those of them that have changed. */
  readonly pairs: readonly { readonly before: Held; readonly after: Held }[]
}

/** Takes down what a change does, so that it can be undone. Made anew for each change. */
export interface Recording {
  /** In the transaction of the change, also where nothing has changed. A host without transactions calls it right after, in the one
   *  that tells of the change. */
  settle(tx: Tx, did: Did): Promise<void>
  /** A host without transactions says before it begins what it is about to do, but not under which uids messages will be moved. */
  intend(did: Did): Promise<void>
}
