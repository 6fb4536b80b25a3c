/** What one sender may take of us. Times in milliseconds, sizes in octets. */
export interface Limits {
  readonly messageSize: number
  /** In one message; RFC 5321 4.5.3.1.8 asks for 100 at least. */
  readonly recipients: number
  readonly connections: number
  /** From one IPv4 address or one IPv6 /64. */
  readonly connectionsPerClient: number
  /** 5xx replies since the last message that was taken. */
  readonly errors: number
  /** Commands since the last message that was taken. */
  readonly commands: number
  /** AUTH without success. */
  readonly logins: number
  /** Messages held in memory at once, from their first octet until they are stored; those of one client at most half
   *  of it, or one message. */
  readonly memory: number
  /** Where that is all taken, a message gives way that would take longer than this to come as far once more. */
  readonly slow: number
  /** Whoever speaks within this of connecting has not waited for the greeting. */
  readonly greetingDelay: number
  /** To say the next whole command (RFC 5321 4.5.3.2.7 asks for five minutes). */
  readonly command: number
  /** To begin with a message; each `slowest` octets of it give back a second. */
  readonly message: number
  readonly slowest: number
  /** For a client that we hung up on to read our last reply. */
  readonly farewell: number
  /** For what is in hand when the server stops. */
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
  farewell: 5_000,
  stop: 5_000,
}
