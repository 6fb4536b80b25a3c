import type { Status } from './response.ts'

/** The connection is of no more use: closed, silent for too long, or not speaking IMAP. */
export class ConnectionLost extends Error {
  /** The server was silent, rather than gone. */
  readonly silent: boolean

  constructor(why: string, { silent = false, cause }: { silent?: boolean; cause?: unknown } = {}) {
    super(why, { cause })
    this.name = 'ConnectionLost'
    this.silent = silent
  }
}

/** The server understood a command and would not do it: NO or BAD. */
export class CommandRefused extends Error {
  /** The response code's name (RFC 5530); empty where there is none. */
  readonly code: string
  /** What the server says for people to read, in one line of printable ASCII, without the time that Dovecot says it took. */
  readonly text: string

  /** `command` is its name alone, since what follows may be a password or mail. */
  constructor(command: string, { status, code: [code], text }: Status) {
    super(`The mail server answers ${command} with ${status} ${text.slice(0, 200)}`)
    this.text = text
      .replace(/ \([\d.+ ]+secs\)\.$/, '')
      .replace(/[^\x20-\x7e]/g, '?')
      .slice(0, 200)
    this.name = 'CommandRefused'
    this.code = typeof code === 'string' ? code : ''
  }
}
