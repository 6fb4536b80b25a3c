/** An SMTP reply (RFC 5321 4.2) with its enhanced status code (RFC 3463, RFC 2034). */
export interface Reply {
  readonly code: number
  readonly status: string
  readonly text: string
}

export function reply(code: number, status: string, text: string): Reply {
  return { code, status, text }
}

/** What turns a command or a message away: what the client is told, and the private cause. */
export class Rejection extends Error {
  readonly reply: Reply
  /** It is about a Private mailbox: who wrote to it stands in no log. */
  concealed = false

  constructor(code: number, status: string, text: string, cause?: unknown) {
    super(`${code} ${status} ${text}`, { cause })
    this.name = 'Rejection'
    this.reply = { code, status, text }
  }
}

/** The sender as a log may name it: undefined of mail to a Private mailbox. */
export function loggedSender(sender: string, concealed: boolean): string | undefined {
  return concealed ? undefined : sender
}

/** For domains that nobody here has. */
export class NotOurs extends Rejection {
  constructor() {
    super(550, '5.7.1', 'We do not take mail for that domain')
  }
}

/** A reply as it goes over the wire. */
export function render({ code, status, text }: Reply): string {
  return `${code} ${status} ${text}\r\n`
}
