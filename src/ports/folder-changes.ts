/** A reader's copy of a folder: the messages below `uidNext`, as of `modseq` (RFC 7162). */
export type FolderState = { readonly uidValidity: number; readonly modseq: number; readonly uidNext: number }

/** One step from a reader's copy towards the current folder. Steps are bounded, so that a large folder delays neither the
 *  event loop nor other requests. The reader applies a step, then requests the next from `state` while there is `more`. After the
 *  last step its copy is the folder at one moment. Between steps it may have a change and lack an earlier one. */
export interface FolderChanges {
  /** The reader's state once it has applied the step. */
  readonly state: FolderState
  /** The reader's copy is invalid. It starts again; `rows` are the folder's first. */
  readonly reset: boolean
  /** Whether newer messages or earlier changes remain. */
  readonly more: boolean
  /** Messages in the folder. A reader with another number after the last step has missed a change. */
  readonly exists: number
  readonly rows: ThreadRows
  /** Messages of the reader's copy whose flags may have changed. */
  readonly flags: { readonly uid: Uint32Array; readonly seen: Uint8Array }
  /** May include messages that the reader never had. */
  readonly expunged: Uint32Array
}

/** What threading needs of new messages, in ascending uid. Stored by column: 100,000 objects would take six times as long to
 *  read. Ids are 8 bytes each, hashed by `idHash`; texts are UTF-8. Both are concatenated. */
export interface ThreadRows {
  readonly uid: Uint32Array
  readonly seen: Uint8Array
  /** Milliseconds since the epoch. */
  readonly receivedAt: Float64Array
  /** Addresses in lower case, without names; empty without From. */
  readonly sender: Buffer
  readonly senderLength: Uint32Array
  /** Eight zeros without a Message-ID. */
  readonly id: Buffer
  /** References first, then In-Reply-To: the first names the conversation. Lengths are in bytes, as above. */
  readonly strong: Buffer
  readonly strongLength: Uint32Array
  readonly weak: Buffer
  readonly weakLength: Uint32Array
}
