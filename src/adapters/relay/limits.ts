/** Our patience with a peer, in milliseconds. */
export interface Limits {
  readonly connect: number
  readonly greeting: number
  /** EHLO, STARTTLS with its handshake, AUTH: each. */
  readonly hello: number
  /** MAIL, RCPT, RSET: each. */
  readonly envelope: number
  /** DATA, until 354. */
  readonly data: number
  /** A piece of the message, until it is on its way. */
  readonly block: number
  /** The reply to the final dot. */
  readonly dot: number
  /** The reply to QUIT. */
  readonly quit: number
  /** Everything before the dot, the tries at other hosts included. */
  readonly whole: number
}

/** RFC 5321 4.5.3.2 allows 2 to 5 minutes where these are shorter, since mail that is tried again loses nothing. The
 *  dot's 10 minutes stay: whoever gives up on it sends the message twice. */
export const patience: Limits = {
  connect: 30_000,
  greeting: 60_000,
  hello: 60_000,
  envelope: 120_000,
  data: 120_000,
  block: 120_000,
  dot: 600_000,
  quit: 2_000,
  whole: 900_000,
}
