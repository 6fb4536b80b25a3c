/** The document's eight codes (section 7), and `conflict` for an Idempotency-Key whose first request still runs. */
export type ErrorCode =
  | 'invalid_request'
  | 'unauthorized'
  | 'quota_exceeded'
  | 'forbidden'
  | 'not_found'
  | 'rate_limited'
  | 'internal_error'
  | 'mail_unavailable'
  | 'conflict'

/** A request that we turn down, in words its sender can act on. What status or SMTP reply that is, the edges say. */
export class Refusal extends Error {
  readonly code: ErrorCode
  /** JSON path of the offending field or query parameter: `attachments[2].content`. */
  readonly field: string | undefined
  /** What to do, where that is not obvious from the message. */
  readonly fix: string | undefined
  /** What else is wrong with the same body. */
  readonly others: readonly Fault[]
  /** After how many seconds it makes sense to ask again, where that is known. */
  readonly retryAfter: number | undefined

  constructor(code: ErrorCode, message: string, { field, fix, others = [], retryAfter, cause }: RefusalDetail = {}) {
    super(message, { cause })
    this.name = 'Refusal'
    this.code = code
    this.field = field
    this.fix = fix
    this.others = others
    this.retryAfter = retryAfter
  }
}

/** One thing that is wrong with what somebody sent. */
export interface Fault {
  readonly field: string
  readonly message: string
}

interface RefusalDetail {
  field?: string | undefined
  fix?: string | undefined
  others?: readonly Fault[]
  retryAfter?: number | undefined
  cause?: unknown
}

export function invalid(field: string, message: string, fix?: string): Refusal {
  return new Refusal('invalid_request', message, { field, fix })
}

/** The same words whether it never existed, is another organization's, or is a member's own (document, section 7). */
export function notFound(what: string): Refusal {
  return new Refusal('not_found', `No such ${what}`)
}

/** The mail host did not answer; the request may be tried again. */
export function mailUnavailable(cause: unknown): Refusal {
  return new Refusal('mail_unavailable', 'The mail host did not answer; try again shortly', { cause })
}

/** Time-out, SERVFAIL or a malformed answer: says nothing about whether the record is there. */
export class LookupFailed extends Error {
  readonly reason: 'timeout' | 'servfail'

  constructor(name: string, reason: 'timeout' | 'servfail', cause?: unknown) {
    super(`Looking up ${name} failed: ${reason}`, { cause })
    this.name = 'LookupFailed'
    this.reason = reason
  }
}

/** For `catch`: goes on with `instead` where a look-up failed, and with nothing else that went wrong. */
export function ifLookupFails<T>(instead: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof LookupFailed) return instead
    throw error
  }
}
