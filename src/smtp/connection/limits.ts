/** Limits of a listener. Times in milliseconds, sizes in octets. */
export interface Limits {
  readonly messageSize: number
  /** RFC 5321, section 4.5.3.1.8 demands at least 100. */
  readonly recipients: number
  readonly connections: number
  /** From one IPv4 address or one IPv6 /64. */
  readonly connectionsPerClient: number
  /** 5xx replies since the last accepted message. */
  readonly errors: number
  /** Commands since the last accepted message. */
  readonly commands: number
  /** Failed AUTH commands. */
  readonly logins: number
  /** Memory for messages, from their first octet until they are stored. One client gets at most half, or one message. */
  readonly memory: number
  /** When memory is full, a message that would need longer than this to double in size is aborted. */
  readonly slow: number
  /** Delay before the greeting; a client that sends input earlier is refused. */
  readonly greetingDelay: number
  /** For the next command (RFC 5321, section 4.5.3.2.7: five minutes). */
  readonly command: number
  /** For a message; each `slowest` octets extend it by a second. */
  readonly message: number
  readonly slowest: number
  /** For a disconnected client to read the last reply. */
  readonly linger: number
  /** For transactions under way when the server stops. */
  readonly stop: number
}

export const LIMITS: Limits = {
  messageSize: 25 * 1024 * 1024,
  recipients: 100,
  connections: 1000,
  connectionsPerClient: 100,
  errors: 20,
  commands: 1000,
  logins: 3,
  memory: 128 * 1024 * 1024,
  slow: 15_000,
  greetingDelay: 50,
  command: 300_000,
  message: 180_000,
  slowest: 500,
  linger: 5_000,
  stop: 5_000,
}
