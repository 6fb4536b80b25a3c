/** What a reader of a folder holds of it: the messages below `uidNext`, as they were at `modseq` (RFC 7162). */
export type FolderState = { readonly uidValidity: number; readonly modseq: number; readonly uidNext: number }

/** One step from what a reader holds towards the folder as it is. A step is bounded, so that a large folder holds up neither
 *  the event loop nor other requests; the reader applies it, then asks again from `state` while there is `more`. After the
 *  last one it holds the folder as it was at one instant; in between it may know of a change and not of an earlier one. */
export interface FolderChanges {
  /** What the reader holds once it has applied the step. */
  readonly state: FolderState
  /** What the reader held is void: it starts afresh, and `rows` are the folder's first. */
  readonly reset: boolean
  /** Newer messages remain, or earlier changes. */
  readonly more: boolean
  /** Messages in the folder; a reader that holds another number once nothing remains has missed a change. */
  readonly exists: number
  readonly rows: ThreadRows
  /** Messages that the reader holds whose flags may have changed. */
  readonly flags: { readonly uid: Uint32Array; readonly seen: Uint8Array }
  /** May name messages that the reader never held. */
  readonly expunged: Uint32Array
}

/** What threading needs of new messages, in ascending uid. A column each, since an object for each of 100,000 messages
 *  costs six times as much to read. Ids are 8 bytes each, hashed by `idHash`; texts are UTF-8; both lie end to end. */
export interface ThreadRows {
  readonly uid: Uint32Array
  readonly seen: Uint8Array
  /** Milliseconds since the epoch. */
  readonly receivedAt: Float64Array
  /** Bare addresses in lower case; empty where there is no From. */
  readonly sender: Buffer
  readonly senderLength: Uint32Array
  /** Eight zeros where the message has no Message-ID. */
  readonly id: Buffer
  /** References first, then In-Reply-To: the first names the conversation. Lengths are in bytes, as above. */
  readonly strong: Buffer
  readonly strongLength: Uint32Array
  readonly weak: Buffer
  readonly weakLength: Uint32Array
}
