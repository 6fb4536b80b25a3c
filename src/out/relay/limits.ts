/** Time-outs in milliseconds. */
export interface Limits {
  readonly connect: number
  readonly greeting: number
  /** EHLO, STARTTLS with its handshake, AUTH: each. */
  readonly hello: number
  /** MAIL, RCPT, RSET: each. */
  readonly envelope: number
  /** DATA, until 354. */
  readonly data: number
  /** A piece of the message, until the system has accepted it. */
  readonly block: number
  /** The reply to the end of data. */
  readonly endOfData: number
  /** The reply to QUIT. */
  readonly quit: number
  /** Everything before the end of data, attempts at other hosts included. */
  readonly whole: number
}

/** Shorter than the 2 to 5 minutes of RFC 5321, section 4.5.3.2: a retry loses nothing. The 10 minutes for the end of data
 *  stay, because a client that gives up there sends the message twice. */
export const patience: Limits = {
  connect: 30_000,
  greeting: 60_000,
  hello: 60_000,
  envelope: 120_000,
  data: 120_000,
  block: 120_000,
  endOfData: 600_000,
  quit: 2_000,
  whole: 900_000,
}
