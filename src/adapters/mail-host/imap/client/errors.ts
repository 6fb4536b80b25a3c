import type { Status } from './response.ts'

/** The connection is not usable: it failed, ended or timed out, or the server does not speak IMAP. */
export class ConnectionLost extends Error {
  /** The message without the server's name. */
  readonly reason: string
  readonly timedOut: boolean

  constructor(
    server: string,
    reason: string,
    { timedOut = false, cause }: { timedOut?: boolean; cause?: unknown } = {},
  ) {
    super(`${server}: ${reason}`, { cause })
    this.name = 'ConnectionLost'
    this.reason = reason
    this.timedOut = timedOut
  }
}

/** The server answered a command with NO or BAD. */
export class CommandRefused extends Error {
  /** The message without the server's name. */
  readonly reason: string
  /** The response code's name (RFC 5530); empty without one. */
  readonly code: string
  /** The server's text for people, in one line of printable ASCII, without Dovecot's note of the time it took. */
  readonly text: string

  /** `command` is only its name: its arguments may be a password or mail. */
  constructor(server: string, command: string, { status, code: [code], text }: Status) {
    const reason = `${command} was answered with ${status} ${text.slice(0, 200)}`
    super(`${server}: ${reason}`)
    this.name = 'CommandRefused'
    this.reason = reason
    this.code = typeof code === 'string' ? code : ''
    this.text = text
      .replace(/ \([\d.+ ]+secs\)\.$/, '')
      .replace(/[^\x20-\x7e]/g, '?')
      .slice(0, 200)
  }
}

/** For `catch`: continues if the server refused a command that may fail. */
export function unlessRefused(error: unknown): void {
  if (!(error instanceof CommandRefused)) throw error
}
