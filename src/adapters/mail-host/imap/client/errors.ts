import type { Status } from './response.ts'

/** The connection is of no more use: it could not be made, it ended, it timed out, or the server does not speak IMAP. */
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
  /** The response code's name (RFC 5530); empty where there is none. */
  readonly code: string
  /** The server's text for people, in one line of printable ASCII, without the time that Dovecot says it took. */
  readonly text: string

  /** `command` is its name alone, since its arguments may be a password or mail. */
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

/** For `catch`: goes on where the server refused a command that may fail. */
export function unlessRefused(error: unknown): void {
  if (!(error instanceof CommandRefused)) throw error
}
