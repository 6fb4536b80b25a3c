/** A part of a message (RFC 2046), as offsets into its bytes. */
export interface Part {
  /** As IMAP numbers it (RFC 9051, section 6.4.5.1): `1` is a message without parts, or the first part; `2.1` the first
   *  part of the second. Empty for a multipart message as a whole. */
  readonly path: string
  /** Type and subtype, in lower case. */
  readonly type: string
  readonly parameters: ReadonlyMap<string, string>
  /** `attachment`, `inline`, or empty if not given. */
  readonly disposition: string
  readonly filename: string | null
  /** Without angle brackets. */
  readonly contentId: string | null
  /** Transfer encoding, in lower case. */
  readonly encoding: string
  /** Where the part's own header starts. It ends where the body starts. */
  readonly header: number
  /** The body, still encoded: from `start` up to, not including, `end`. */
  readonly start: number
  readonly end: number
  /** Of a multipart; empty for a leaf. */
  readonly parts: readonly Part[]
}
