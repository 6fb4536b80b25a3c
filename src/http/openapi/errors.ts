import type { ErrorCode } from '#/base/errors.ts'
import { ErrorBody, statuses } from '../answers/error-body.ts'
import { Type } from '../schemas/type.ts'
import { answerHeaders } from './headers.ts'

const meaning: Record<ErrorCode, string> = {
  invalid_request: 'The request is not as documented, or cannot be done to what is stored.',
  unauthorized: 'The key is missing, malformed, unknown, expired or revoked, or the session has ended.',
  quota_exceeded: 'A limit of the plan would be exceeded.',
  forbidden:
    "The key or the member's role lacks the scope or permission, which `message` names, or the key is restricted to some mailboxes, or a page of another site made the request, or the member has to confirm who they are (`needs`), or the operator has suspended the organization.",
  not_found: 'The organization has no such item.',
  conflict:
    'The first request with this Idempotency-Key is still running, the draft has another `version`, or the change still runs.',
  rate_limited:
    'The key or member has made more requests than it may in a minute (600, if the key is not restricted), ' +
    'or no part of a budget is left; see `Retry-After`.',
  internal_error:
    'Internal error, logged under the `request_id`. Send the request again; its Idempotency-Key prevents a second execution.',
  mail_unavailable:
    'The store of mail did not answer within 10 seconds, or refused; nothing is sent later. Try again with ' +
    'back-off; the Idempotency-Key prevents a second execution.',
  provider_unavailable: 'The provider of single sign-on did not answer; try again.',
}

/** What an operation can answer by its path, with its own codes. */
export function errorCodes(url: string, repeatable: boolean, more: readonly ErrorCode[]): ErrorCode[] {
  const codes: ErrorCode[] = ['invalid_request', 'unauthorized', 'forbidden', 'rate_limited', 'internal_error', ...more]
  if (url.includes(':')) codes.push('not_found')
  if (repeatable) codes.push('conflict')
  return [...new Set(codes)]
}

/** Responses by status. The description is a reference: the plugin, which takes none in this place, keeps it, and
 *  `publishedDescription` puts the reference in the response's place. */
export function errorResponses(codes: readonly ErrorCode[]) {
  return Object.fromEntries(
    codes.map((code) => [statuses[code], { type: 'null', description: `#/components/responses/${nameOf(code)}` }]),
  )
}

/** `invalid_request` is `InvalidRequest`. */
function nameOf(code: string): string {
  return code.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** The response of each error code, which operations refer to. */
export const errorComponents = Object.fromEntries(
  (Object.keys(meaning) as ErrorCode[]).map((code) => [
    nameOf(code),
    {
      description: meaning[code],
      headers: Object.fromEntries(
        Object.entries({ ...answerHeaders, ...headersOf(code) }).map(([name, schema]) => [name, { schema }]),
      ),
      content: { 'application/json': { schema: ErrorBody, examples: { [code]: { value: exampleOf(code) } } } },
    },
  ]),
)

function headersOf(code: ErrorCode) {
  if (code === 'rate_limited')
    return { 'Retry-After': Type.Integer({ minimum: 1, description: 'Seconds to wait.', examples: [7] }) }
  if (code !== 'unauthorized') return {}
  return {
    'WWW-Authenticate': Type.String({
      description: 'RFC 6750: with `error="invalid_token"` where a key was sent.',
      examples: ['Bearer realm="Mailroom", error="invalid_token"'],
    }),
  }
}

function exampleOf(code: ErrorCode) {
  return { error: { code, message: meaning[code], request_id: 'req_7Qm2xV0cT9bK4sLw' } }
}
