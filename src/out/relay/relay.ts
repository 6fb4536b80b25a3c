/** Where sent mail goes: one relay for everything, or each recipient's own mail host. */
export interface Relay extends AsyncDisposable {
  /** Recipients of one route are delivered together. Limits on concurrency are per route too. */
  routeOf(recipient: string): string
  /** Makes one attempt and answers the outcome of each recipient, in order. Rejects only with an error of `content` or
   *  `beforeEndOfData`; then nothing was sent. Aborting drops the connection: the outcome is `deferred`, and `ambiguous` if
   *  the end of data had been sent. */
  deliver(delivery: Delivery, signal: AbortSignal): Promise<readonly Outcome[]>
}

export interface Delivery {
  /** The envelope sender; empty for the null sender. */
  readonly sender: string
  /** One or more, all with one route. */
  readonly recipients: readonly string[]
  /** Octets of the content. */
  readonly size: number
  /** The message with CR LF line ends, not dot-stuffed. Called again only after a refusal, for what
   *  another address of the host may take. */
  content(): AsyncIterable<Buffer>
  /** The envelope or a header has what only RFC 6531 allows. */
  readonly smtpUtf8: boolean
  /** The body has octets above 127. */
  readonly eightBit: boolean
  /** Awaited before an end of data is sent, with the accepted recipients. If it rejects, the connection is dropped and
   *  nothing was sent. Called again as `content` is. */
  beforeEndOfData(recipients: readonly string[]): Promise<void>
}

export interface Outcome {
  readonly recipient: string
  readonly result: 'delivered' | 'deferred' | 'refused'
  /** The peer's reply: one line, printable, at most 500 characters; null if there was none. */
  readonly reply: string | null
  /** Enhanced status code (RFC 3463): the peer's, or ours if it gave none. */
  readonly status: string
  /** A sentence for people, without a full stop. */
  readonly reason: string
  /** The host of the peer; null if none was reached. */
  readonly host: string | null
  /** The end of data was sent and no reply came: the peer may or may not have the message. */
  readonly ambiguous: boolean
  /** The Message-ID, in lower case, that the peer gave the message in place of ours; undefined if it did not say so. */
  readonly givenId?: string
}
