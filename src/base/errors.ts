/** The codes of docs/reference/http.md, "Errors". */
export type ErrorCode =
  | 'invalid_request'
  | 'unauthorized'
  | 'quota_exceeded'
  | 'forbidden'
  | 'not_found'
  | 'rate_limited'
  | 'internal_error'
  | 'mail_unavailable'
  | 'provider_unavailable'
  | 'conflict'

/** What a request of a member lacks: a recent confirmation, or a code of the second factor (docs/reference/sessions.md). */
export type Needed = 'confirmation' | 'code'

/** Refuses a request. The HTTP status or SMTP reply is chosen at the edge. */
export class Refusal extends Error {
  readonly code: ErrorCode
  /** JSON path of the offending field or query parameter: `attachments[2].content`. */
  readonly field: string | undefined
  /** The remedy, if it does not follow from the message. */
  readonly fix: string | undefined
  /** For programs: what the request needs beyond what it has. */
  readonly needs: Needed | undefined
  /** Further errors of the same body. */
  readonly others: readonly FieldError[]
  /** Seconds after which a retry makes sense, if known. */
  readonly retryAfter: number | undefined

  constructor(
    code: ErrorCode,
    message: string,
    { field, fix, needs, others = [], retryAfter, cause }: RefusalDetail = {},
  ) {
    super(message, { cause })
    this.name = 'Refusal'
    this.code = code
    this.field = field
    this.fix = fix
    this.needs = needs
    this.others = others
    this.retryAfter = retryAfter
  }
}

export interface FieldError {
  readonly field: string
  readonly message: string
}

interface RefusalDetail {
  field?: string | undefined
  fix?: string | undefined
  needs?: Needed | undefined
  others?: readonly FieldError[]
  retryAfter?: number | undefined
  cause?: unknown
}

export function invalid(field: string, message: string, fix?: string): Refusal {
  return new Refusal('invalid_request', message, { field, fix })
}

/** The same words whether it never existed, is another organization's, or is a member's own (docs/reference/http.md). */
export function notFound(what: string): Refusal {
  return new Refusal('not_found', `No such ${what}`)
}

/** For `catch`: undefined where something was deleted while it was read. */
export function unlessDeleted(error: unknown): undefined {
  if (!(error instanceof Refusal && error.code === 'not_found')) throw error
}

/** The mail host did not answer; the request may be tried again. */
export function mailUnavailable(cause: unknown): Refusal {
  return new Refusal('mail_unavailable', 'The mail host did not answer; try again shortly', {
    // If the connection broke at the commit, the change may have been made.
    fix: 'Send the request again; its Idempotency-Key prevents a second execution',
    cause,
  })
}

/** For `catch` of what the store of mail reads: replaces the refusal of a folder or mailbox that does not exist by `instead`, and rethrows
 *  other errors. */
export function ifMissing<T>(instead: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof Refusal && (error.code === 'not_found' || error.field === 'folder')) return instead
    throw error
  }
}

/** A time-out, SERVFAIL or malformed answer: the record may or may not exist. */
export class LookupFailed extends Error {
  readonly reason: 'timeout' | 'servfail'

  constructor(name: string, reason: 'timeout' | 'servfail', cause?: unknown) {
    super(`Looking up ${name} failed: ${reason}`, { cause })
    this.name = 'LookupFailed'
    this.reason = reason
  }
}

/** For `catch`: replaces a failed lookup by `instead`, and rethrows other errors. */
export function ifLookupFails<T>(instead: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof LookupFailed) return instead
    throw error
  }
}
