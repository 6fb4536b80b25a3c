import { LIMITS } from '#/smtp/connection/limits.ts'

/** Limits of an IMAP listener. Times in milliseconds, sizes in octets. */
export interface ImapLimits {
  readonly connections: number
  /** From one IPv4 address or one IPv6 /64. */
  readonly connectionsPerClient: number
  /** A command with its literals, without those that are messages. */
  readonly command: number
  /** The same before the client has signed in. */
  readonly commandBeforeLogin: number
  /** A literal before the client has signed in, as RFC 7888, section 5 has it for LITERAL-. */
  readonly literalBeforeLogin: number
  readonly messageSize: number
  /** All messages of a command (RFC 3502). */
  readonly messages: number
  /** Memory for literals, until their command is carried out. An organization has at most as much as it leaves free, a client at most half
   *  before it has signed in. */
  readonly memory: number
  /** When memory is full, a message that would need longer than this to double in size is aborted. */
  readonly slow: number
  /** Commands in a row that are too large or no text, after which the connection ends. */
  readonly faults: number
  /** For the next command before the client has signed in. */
  readonly login: number
  /** For the next command after it has (RFC 9051, section 5.4: at least 30 minutes). */
  readonly idle: number
  /** For a literal; each `slowest` octets extend it by a second. */
  readonly literal: number
  readonly slowest: number
  /** For a TLS handshake, and a header of the PROXY protocol. */
  readonly handshake: number
  /** For a client to read some of what it is sent. */
  readonly stalled: number
  /** For a client to read the last response. */
  readonly linger: number
  /** For commands under way when the server stops. */
  readonly stop: number
}

export const IMAP_LIMITS: ImapLimits = {
  connections: 4000,
  connectionsPerClient: 100,
  command: 64 * 1024,
  commandBeforeLogin: 16 * 1024,
  literalBeforeLogin: 4096,
  messageSize: LIMITS.messageSize,
  messages: 64 * 1024 * 1024,
  memory: 128 * 1024 * 1024,
  slow: 15_000,
  faults: 20,
  login: 60_000,
  idle: 30 * 60_000,
  literal: 180_000,
  slowest: 500,
  handshake: 30_000,
  stalled: 60_000,
  linger: 5_000,
  stop: 5_000,
}
