import type { Logger } from 'pino'
import { isUnavailable } from '#/base/db/unavailable.ts'
import { type ErrorCode, Refusal } from '#/base/errors.ts'
import { LoginRefused } from '#/smtp/submission/log-in.ts'
import { SaslFailure } from '#/smtp/submission/sasl.ts'
import { Bad, No } from '../answers.ts'

/** The tagged answer to a command that failed (RFC 9051, section 7.1; codes also of RFC 5530). */
export interface Failed {
  readonly status: 'NO' | 'BAD'
  readonly text: string
  readonly code?: string | undefined
}

const codes: Record<ErrorCode, string> = {
  invalid_request: 'CANNOT',
  unauthorized: 'NOPERM',
  quota_exceeded: 'OVERQUOTA',
  forbidden: 'NOPERM',
  not_found: 'NONEXISTENT',
  rate_limited: 'LIMIT',
  internal_error: 'SERVERBUG',
  mail_unavailable: 'UNAVAILABLE',
  provider_unavailable: 'UNAVAILABLE',
  conflict: 'INUSE',
}

const loginCodes = {
  busy: 'UNAVAILABLE',
  throttled: 'LIMIT',
  wrong: 'AUTHENTICATIONFAILED',
  suspended: 'CONTACTADMIN',
} as const

/** The answer to any error. What is no refusal is logged, and its text told to nobody. */
export function failureOf(error: unknown, log: Logger, command: string): Failed {
  if (error instanceof No) return { status: 'NO', text: error.message, code: error.code }
  if (error instanceof Bad) return { status: 'BAD', text: error.message }
  if (error instanceof LoginRefused) return { status: 'NO', text: error.message, code: loginCodes[error.fault] }
  if (error instanceof SaslFailure) return ofExchange(error)
  if (error instanceof Refusal) return ofRefusal(error, log, command)
  if (isUnavailable(error)) {
    log.warn({ err: error, command }, 'imap command failed: the database is away')
    return { status: 'NO', text: 'Mail is not available at the moment; try again shortly', code: 'UNAVAILABLE' }
  }
  log.error({ err: error, command }, 'imap command failed')
  return { status: 'NO', text: 'Internal error; try again later', code: 'SERVERBUG' }
}

function ofRefusal(error: Refusal, log: Logger, command: string): Failed {
  // The cause of these is ours, and its text with it.
  if (error.code === 'internal_error') log.error({ err: error, command }, 'imap command failed')
  // The store refuses a folder that is not there so.
  const code = error.code === 'invalid_request' && error.field === 'folder' ? 'NONEXISTENT' : codes[error.code]
  return { status: 'NO', text: error.message, code }
}

function ofExchange({ fault, message }: SaslFailure): Failed {
  if (fault === 'cancelled' || fault === 'malformed' || fault === 'arguments') return { status: 'BAD', text: message }
  return { status: 'NO', text: message, code: fault === 'mechanism' ? 'CANNOT' : 'AUTHORIZATIONFAILED' }
}
