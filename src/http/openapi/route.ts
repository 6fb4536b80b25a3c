import type { FastifyContextConfig, FastifySchema } from 'fastify'
import type { ErrorCode } from '#/errors.ts'
import type { Permission } from '../access/permissions.ts'
import { ErrorBody, statuses } from '../answers/error-body.ts'
import { Type } from '../schemas/type.ts'

type Access = NonNullable<FastifyContextConfig['access']>

interface Route {
  readonly schema: FastifySchema | undefined
  readonly url: string
  readonly config: FastifyContextConfig | undefined
}

/** Adds errors, scope and headers to the OpenAPI description of a route. */
export function describeRoute({ schema = {}, url, config }: Route, method: string) {
  const { scope, access, permission, confirmed, noun, errors = [] } = config ?? {}
  if (scope === undefined && access === undefined) return schema
  const repeatable = method === 'POST' && access !== 'sign-in' && config?.repeatable !== false
  const conditions = access === undefined ? scoped([scope ?? []].flat()) : accessed(access, permission)
  return {
    ...schema,
    operationId: schema.operationId ?? operationId(schema.summary ?? `${method} ${url}`),
    ...conditions,
    description: [schema.description, conditions.description, confirmed && confirmation].filter(Boolean).join('\n\n'),
    tags: noun ? [noun] : [],
    ...(repeatable && { headers: idempotencyHeader }),
    response: {
      ...successes(schema, { repeatable, signsIn: access === 'sign-in' && method === 'POST', access }),
      ...errorResponses(errorCodes(url, repeatable, access === undefined ? errors : ['not_found', ...errors])),
    },
  }
}

const confirmation =
  'A member needs to have signed in, or to have confirmed with `POST /v1/session/confirm`, in the last 10 minutes; else the ' +
  'answer is 403, and its `needs` is `confirmation`.'

function scoped(wanted: readonly string[]) {
  return {
    description: `Scope: ${wanted.map((one) => `\`${one}\``).join(' or ')}.`,
    security: [{ key: [] }, { session: [] }],
    'x-required-scope': wanted.length === 1 ? wanted[0] : wanted,
  }
}

function accessed(access: Access, permission: Permission | undefined) {
  const who = `For members${access === 'member' ? ' who are signed in' : ''}. To a key this path does not exist.`
  return {
    description: permission === undefined ? who : `${who} Permission: \`${permission}\`.`,
    security: access === 'member' ? [{ session: [] }] : [],
    ...(permission !== undefined && { 'x-required-permission': permission }),
  }
}

/** `Create a filter` is `createFilter`. */
export function operationId(summary: string): string {
  const words = summary.split(/[^A-Za-z]+/).filter((word) => !/^(?:an?|the|of|its)?$/i.test(word))
  return words
    .map((word, index) => (index === 0 ? word.toLowerCase() : word[0]?.toUpperCase() + word.slice(1)))
    .join('')
}

const idempotencyHeader = Type.Object({
  'Idempotency-Key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'Repeating the request with this key within 24 hours gives the first answer again.',
    }),
  ),
})

function errorCodes(url: string, repeatable: boolean, more: readonly ErrorCode[]): ErrorCode[] {
  const codes: ErrorCode[] = ['invalid_request', 'unauthorized', 'forbidden', 'rate_limited', 'internal_error', ...more]
  if (url.includes(':')) codes.push('not_found')
  if (repeatable) codes.push('conflict')
  return [...new Set(codes)]
}

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
    'More requests in a minute than the key or member has (600, if the key is not restricted), or too many large bodies at a time; see `Retry-After`.',
  internal_error:
    'Internal error, logged under the `request_id`. Send the request again; its Idempotency-Key prevents a second execution.',
  mail_unavailable: 'The mail host did not answer; try again with backoff.',
  provider_unavailable: 'The provider of single sign-on did not answer; try again.',
}

function errorResponses(codes: readonly ErrorCode[]) {
  return Object.fromEntries(
    codes.map((code) => [
      statuses[code],
      {
        description: meaning[code],
        headers: { ...answerHeaders, ...headersOf[code] },
        content: { 'application/json': { schema: ErrorBody, examples: { [code]: { value: exampleOf(code) } } } },
      },
    ]),
  )
}

const headersOf: Partial<Record<ErrorCode, object>> = {
  rate_limited: { 'Retry-After': Type.Integer({ minimum: 1, description: 'Seconds to wait.' }) },
  unauthorized: {
    'WWW-Authenticate': Type.String({
      description: 'RFC 6750: with `error="invalid_token"` where a key was sent.',
      examples: ['Bearer realm="Mailroom", error="invalid_token"'],
    }),
  },
}
const answerHeaders = {
  'X-Request-Id': Type.String({ description: 'Names this request in our logs.' }),
}
const allowanceHeaders = {
  'RateLimit-Policy': Type.String({
    description: 'The quota and its window in seconds.',
    examples: ['"key";q=600;w=60'],
  }),
  RateLimit: Type.String({
    description: 'What remains, and in how many seconds there is more.',
    examples: ['"key";r=598;t=41'],
  }),
}

const cookieHeader = { 'Set-Cookie': Type.String({ description: 'The session, or what it takes to open one.' }) }

function exampleOf(code: ErrorCode) {
  return { error: { code, message: meaning[code], request_id: 'req_7Qm2xV0cT9bK4sLw' } }
}

/** Expands the success schemas of a route to response objects with headers. */
function successes(
  { response = {} }: FastifySchema,
  { repeatable, signsIn, access }: { repeatable: boolean; signsIn: boolean; access: Access | undefined },
) {
  return Object.fromEntries(
    Object.entries(response as Record<string, Record<string, unknown>>).map(([status, one]) => [
      status,
      {
        description: one.description ?? (status === '201' ? 'Created.' : 'Done.'),
        headers: {
          ...answerHeaders,
          ...(signsIn && cookieHeader),
          ...(access !== 'sign-in' && allowanceHeaders),
          ...(status === '201' && { Location: Type.String({ description: 'Where it is.' }) }),
          ...(repeatable && {
            'Idempotency-Replayed': Type.Literal('true', { description: 'Present on a repeated answer.' }),
          }),
        },
        content: one.content ?? { 'application/json': { schema: one } },
      },
    ]),
  )
}
