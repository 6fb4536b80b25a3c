import { type Reply, said, statusOf } from './reply.ts'

/** Why something came to nothing, and what that means for the recipients whom it concerns. */
export class Trouble extends Error {
  readonly result: 'deferred' | 'refused'
  /** RFC 3463. */
  readonly status: string
  readonly reply: string | null
  /** Whose reply it is; null without one. */
  readonly host: string | null

  /** The first digit of the status says whether trying again makes sense. `reason` is a sentence for people. */
  constructor(status: string, reason: string, { reply = null, host = null, cause }: Detail = {}) {
    super(reason, { cause })
    this.name = new.target.name
    this.result = status.startsWith('5') ? 'refused' : 'deferred'
    this.status = status
    this.reply = reply
    this.host = host
  }
}

interface Detail {
  readonly reply?: string | null
  readonly host?: string | null
  readonly cause?: unknown
}

/** The connection is of no use any more: broken off, silent for too long, out of step, or closing down. */
export class Lost extends Trouble {}

/** TLS could not be agreed on; in the clear it might go. */
export class NoTls extends Lost {}

/** What a reply speaks of, as a sentence goes on with it. */
export type Subject = 'our connection' | 'our login' | 'the sender' | 'the recipient' | 'the message'

/** What a reply means that is no success (RFC 5321 4.2.1). 421 may come at any time and ends the session (3.8). */
export function troubleFrom(reply: Reply, host: string, subject: Subject): Trouble {
  const words = { reply: said(reply), host }
  if (reply.code === 421) return new Lost(statusOf(reply), `${host} is closing the connection`, words)
  if (reply.code >= 500) return new Trouble(statusOf(reply), `${host} refused ${subject}`, words)
  if (reply.code >= 400) return new Trouble(statusOf(reply), `${host} cannot take ${subject} at the moment`, words)
  return new Lost('4.5.0', `${host} gave an answer that makes no sense here`, words)
}

export function hungUp(host: string, when = ''): Lost {
  return new Lost('4.4.2', `${host} hung up${when}`)
}

export function outOfStep(host: string): Lost {
  return new Lost('4.5.0', `${host} spoke out of turn`)
}

export function late(status: string, what: string, milliseconds: number): Lost {
  return new Lost(status, `${what} within ${milliseconds / 1000} s`)
}

/** What a signal that was aborted means for the delivery that it stopped. */
export function stopped({ reason }: AbortSignal): Lost {
  return reason instanceof Lost ? reason : new Lost('4.3.2', 'The delivery was stopped on our side')
}

/** An error of a socket. */
export function broken(host: string, error: Error): Lost {
  const code = 'code' in error ? String(error.code) : error.message
  const words = new Map([
    ['ECONNREFUSED', 'nothing answers there'],
    ['EHOSTUNREACH', 'there is no way to it from here'],
    ['ENETUNREACH', 'there is no way to it from here'],
    ['ENOTFOUND', 'its name is not in the DNS'],
    ['EAI_AGAIN', 'its name could not be looked up'],
  ]).get(code)
  if (words) return new Lost('4.4.1', `${host} could not be reached: ${words}`, { cause: error })
  return new Lost('4.4.2', `The connection to ${host} was cut (${code})`, { cause: error })
}
