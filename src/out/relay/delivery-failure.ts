import { distrustOf } from '#/http/public-http/failure.ts'
import { type Reply, replyText, statusOf } from './smtp-client/reply.ts'

/** A delivery failure, for the recipients that it concerns. */
export class DeliveryFailure extends Error {
  readonly result: 'deferred' | 'refused'
  /** RFC 3463. */
  readonly status: string
  readonly reply: string | null
  /** Whose reply it is; null without one. */
  readonly host: string | null

  /** @param status its first digit says whether a retry makes sense
   *  @param reason a sentence for people */
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

/** The connection is unusable: broken, timed out, out of sequence, or closing. */
export class ConnectionLost extends DeliveryFailure {}

/** The TLS handshake failed; delivery in the clear may still work. */
export class TlsFailed extends ConnectionLost {}

/** The server offers no TLS where we insist on it. */
export class NoTls extends DeliveryFailure {}

/** The subject of a reply, as part of a sentence. */
export type Subject = 'our connection' | 'our login' | 'the sender' | 'the recipient' | 'the message'

/** The failure that a negative reply means (RFC 5321, section 4.2.1). 421 may be sent at any time and ends the session
 *  (section 3.8). */
export function failureFrom(reply: Reply, host: string, subject: Subject): DeliveryFailure {
  const words = { reply: replyText(reply), host }
  if (reply.code === 421) return new ConnectionLost(statusOf(reply), `${host} is closing the connection`, words)
  if (reply.code >= 500) return new DeliveryFailure(statusOf(reply), `${host} refused ${subject}`, words)
  if (reply.code >= 400) return new DeliveryFailure(statusOf(reply), `${host} temporarily refused ${subject}`, words)
  return new ConnectionLost('4.5.0', `${host} sent an unexpected reply`, words)
}

export function connectionClosed(host: string, when = ''): ConnectionLost {
  return new ConnectionLost('4.4.2', `${host} closed the connection${when}`)
}

export function outOfSequence(host: string): ConnectionLost {
  return new ConnectionLost('4.5.0', `${host} sent an unsolicited reply`)
}

export function timedOut(status: string, what: string, milliseconds: number): ConnectionLost {
  return new ConnectionLost(status, `${what} within ${milliseconds / 1000} s`)
}

/** The failure of a delivery whose signal was aborted. */
export function stopped({ reason }: AbortSignal): ConnectionLost {
  return reason instanceof ConnectionLost ? reason : new ConnectionLost('4.3.2', 'This server aborted the delivery')
}

/** The failure that a socket error means. */
export function broken(host: string, error: Error): ConnectionLost {
  const code = 'code' in error ? String(error.code) : error.message
  const words = new Map([
    ['ECONNREFUSED', 'connection refused'],
    ['EHOSTUNREACH', 'no route to host'],
    ['ENETUNREACH', 'no route to host'],
    ['ENOTFOUND', 'the host name does not exist'],
    ['EAI_AGAIN', 'the host name could not be looked up'],
    ['EADDRNOTAVAIL', 'this machine does not have the address to connect from'],
  ]).get(code)
  if (words) return new ConnectionLost('4.4.1', `${host} could not be reached: ${words}`, { cause: error })
  return new ConnectionLost('4.4.2', `The connection to ${host} broke (${code})`, { cause: error })
}

/** An error of a TLS handshake. */
export function tlsFailed(host: string, error: Error): TlsFailed {
  const code = 'code' in error ? String(error.code) : ''
  const untrusted = distrustOf(code)
  const reason = untrusted
    ? `The certificate of ${host} is not trusted: ${untrusted}`
    : `The TLS handshake with ${host} failed${code && ` (${code})`}`
  return new TlsFailed('4.7.5', reason, { cause: error })
}
