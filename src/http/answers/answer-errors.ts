import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { isUnavailable } from '#/base/db/unavailable.ts'
import { invalid, mailUnavailable, Refusal } from '#/base/errors.ts'
import { withOthers } from '../validation/validate.ts'
import { errorBody, statusOf } from './error-body.ts'

/** Answers every error with the error body. Internal errors are logged with their cause. */
export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const refusal = refusalFor(error, request)
  if (statusOf(refusal) >= 500) request.log.error({ err: error }, 'request failed')
  if (refusal.retryAfter !== undefined) reply.header('Retry-After', refusal.retryAfter)
  return reply
    .code(statusOf(refusal))
    .header('X-Request-Id', request.id)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(errorBody(refusal, request.id)))
}

export function refusalFor(error: unknown, request: FastifyRequest): Refusal {
  if (error instanceof Refusal) return error.others.length > 0 ? error : withOthers(error, request)
  // What the database throws has an SQLSTATE, what Fastify throws a status code.
  const { code, message, statusCode = 500 } = error as FastifyError
  if (code === 'PC402') return new Refusal('quota_exceeded', message, { cause: error })
  if (statusCode >= 400 && statusCode < 500) return invalidRequest(code, message)
  // Routes that read or write mail document it. All that they ask for is in one database, so that of their key or session is no other.
  if (isUnavailable(error) && request.routeOptions.config?.errors?.includes('mail_unavailable'))
    return mailUnavailable(error)
  // If the connection broke at the commit, the change may have been made.
  return new Refusal('internal_error', 'Internal error; the service has logged it under this request_id', {
    fix: 'Send the request again; its Idempotency-Key prevents a second execution',
    cause: error,
  })
}

function invalidRequest(code: string, message: string): Refusal {
  switch (code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return invalid('Content-Type', 'The content type must be application/json')
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new Refusal('invalid_request', 'The URL is malformed')
    default:
      return new Refusal('invalid_request', message)
  }
}
