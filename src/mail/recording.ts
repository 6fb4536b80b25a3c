import type { RawBuilder } from 'kysely'
import type { Tx } from '#/db/schema.ts'
import type { FolderKey } from './folders.ts'
import type { MailboxRef } from './mailbox-ref.ts'

/** The part of a message in a folder that can be changed. */
export interface Held {
  readonly uid: number
  readonly seen: boolean
  readonly flagged: boolean
  readonly keywords: readonly string[]
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
  /** Called in the transaction of the change, also if nothing has changed. */
  settle(tx: Tx, did: Did): Promise<void>
  /** In its place, where messages stay in their folder: writes the record in the statement that changes them. The change then
   *  answers no places. */
  readonly within?: Within
}

/** A record in the statement of its change. */
export interface Within {
  /** CTEs, for a statement with a CTE `changing` of the messages that change: `uid`, `seen`, `flagged` and `keywords`, before and,
   *  with `new_` in front, after. The last is `recorded`, of at most one row of JSON in `record`. */
  ctes(mailbox: MailboxRef, folder: FolderKey): RawBuilder<unknown>
  /** Called with that, or null, after the statement, in its transaction. May throw. */
  recorded(record: unknown): void
}
