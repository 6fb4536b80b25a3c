/** Where mail that leaves goes: one relay for everything, or each recipient's own mail host. */
export interface Relay extends AsyncDisposable {
  /** Recipients with one route travel together; also the key of concurrency limits. */
  routeOf(recipient: string): string
  /**
   * Tries once, and answers the outcome of each recipient, in their order. Rejects only with what `content` or
   * `beforeEndOfData` rejected with; nothing was sent then. Aborting drops the connection: `deferred`, and `ambiguous` where
   * the end of data was sent by then.
   */
  deliver(delivery: Delivery, signal: AbortSignal): Promise<readonly Outcome[]>
}

export interface Delivery {
  /** Envelope sender; empty for the null one. */
  readonly sender: string
  /** One or more, all of one route. */
  readonly recipients: readonly string[]
  /** Octets of the content. */
  readonly size: number
  /** The message with CR LF line ends, not dot-stuffed. Asked for once at most. */
  content(): AsyncIterable<Buffer>
  /** The envelope or a header holds what RFC 6531 alone allows. */
  readonly smtpUtf8: boolean
  /** The body holds octets above 127. */
  readonly eightBit: boolean
  /** Awaited before the end of data is sent, with the accepted recipients. If it rejects, the connection is dropped and
   *  nothing was sent. */
  beforeEndOfData(recipients: readonly string[]): Promise<void>
}

export interface Outcome {
  readonly recipient: string
  readonly result: 'delivered' | 'deferred' | 'refused'
  /** As the peer said it: one line, printable, at most 500 characters; null where it said nothing. */
  readonly reply: string | null
  /** Enhanced status code (RFC 3463): the peer's, or ours if it gave none. */
  readonly status: string
  /** A sentence for people, without a full stop. */
  readonly reason: string
  /** Whom we spoke to; null where we reached nobody. */
  readonly host: string | null
  /** The end of data was sent and no reply came: the peer may or may not have the message. */
  readonly ambiguous: boolean
}
