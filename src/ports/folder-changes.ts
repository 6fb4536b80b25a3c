/** What a reader of a folder last saw of it (RFC 7162): changes are asked for from here on. */
export type FolderState = { readonly uidValidity: number; readonly modseq: number; readonly uidNext: number }

/** What a folder holds that its reader has not seen. */
export interface FolderChanges extends FolderState {
  /** False when the reader's state no longer holds and `rows` is the whole folder. */
  readonly incremental: boolean
  /** Messages in the folder now; a reader whose own count differs after applying the changes must start afresh. */
  readonly exists: number
  /** New messages in ascending uid, in chunks, so that a large folder does not hold the event loop. */
  readonly rows: AsyncIterable<readonly ThreadRow[]>
  /** Known messages whose flags may have changed. */
  readonly flags: readonly { readonly uid: number; readonly seen: boolean }[]
  readonly expunged: readonly number[]
}

/** What threading needs of a message. Ids are 64-bit keyed hashes. */
export interface ThreadRow {
  readonly uid: number
  readonly seen: boolean
  /** Milliseconds since the epoch. */
  readonly receivedAt: number
  readonly sender: string
  readonly id: bigint | null
  readonly strong: BigUint64Array
  readonly weak: BigUint64Array
}
