/** An SMTP reply (RFC 5321, section 4.2) with its enhanced status code (RFC 3463, RFC 2034). */
export interface Reply {
  readonly code: number
  readonly status: string
  readonly text: string
}

export function reply(code: number, status: string, text: string): Reply {
  return { code, status, text }
}

/** The reason of a refusal in the event log, and the owner: of one recipient, or of all of a message. */
export interface RefusedFor {
  readonly because: 'unknown' | 'blocked' | 'dmarc'
  readonly organizationId?: string
  readonly mailboxId?: string | null
}

/** Refuses a command or a message with a reply; the cause is not sent. */
export class Rejection extends Error {
  readonly reply: Reply
  /** It concerns a Private mailbox: its sender is not logged. */
  concealed = false
  /** Undefined: no event. */
  refusedFor: RefusedFor | undefined

  constructor(code: number, status: string, text: string, cause?: unknown) {
    super(`${code} ${status} ${text}`, { cause })
    this.name = 'Rejection'
    this.reply = { code, status, text }
  }

  withRefusal(refusedFor: RefusedFor): this {
    this.refusedFor = refusedFor
    return this
  }
}

/** The sender for the log; undefined for mail to a Private mailbox. */
export function loggedSender(sender: string, concealed: boolean): string | undefined {
  return concealed ? undefined : sender
}

/** The domain is not served here. */
export class NotOurs extends Rejection {
  constructor() {
    super(550, '5.7.1', 'Relay access denied: the domain is not served here')
  }
}

export function render({ code, status, text }: Reply): string {
  return `${code} ${status} ${text}\r\n`
}
