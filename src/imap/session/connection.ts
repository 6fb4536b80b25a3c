import type { Bye } from '../answers.ts'
import type { Command } from '../wire/arguments.ts'
import type { Output } from '../wire/output.ts'

/** A client's connection as a session uses it. */
export interface Connection {
  /** The client's address; behind a proxy that which the proxy names. */
  readonly address: string
  /** The address that it reached us at. */
  readonly localAddress: string
  readonly isEncrypted: boolean
  /** Whether STARTTLS is possible: a certificate is set, and TLS is not active. */
  readonly canStartTls: boolean
  readonly isCompressed: boolean
  readonly output: Output
  /** Aborted when the connection ends. */
  readonly signal: AbortSignal
  /** Whether mailbox names are UTF-8 instead of modified UTF-7: once IMAP4rev2 or UTF8=ACCEPT is enabled. */
  usesUtf8: boolean
  /** The next command, whole with its literals. Throws `Bad` for a line without a readable tag and name, which was read to its end,
   *  `Bye` as `stop` says or at a limit, and another error if the client is gone. */
  command(): Promise<Command>
  /** Sends a continuation request with this text and answers the client's next line, without its CRLF (AUTHENTICATE, IDLE).
   *  Meanwhile responses may be written. Throws as `command` does. */
  ask(prompt: string): Promise<string>
  /** From now on the limits for clients that have signed in apply, and the organization's share of the memory for literals. */
  signedIn(organizationId: string): void
  /** Starts TLS once what was written is sent. What has come in the clear behind the command is thrown away. Throws if the handshake
   *  fails. */
  startTls(): Promise<void>
  /** Compresses both directions (RFC 4978) once what was written is sent in the clear. */
  compress(): Promise<void>
  /** Has `command` or `ask` throw this, at once if one waits, else at its next call. For whoever wants the session to end. */
  stop(bye: Bye): void
  /** Sends what was written and closes. */
  close(): Promise<void>
}

/** Runs a session until it ends. Never throws. */
export type Serve = (connection: Connection) => Promise<void>
