import type { FastifyContextConfig, FastifySchema } from 'fastify'
import type { Permission } from '../access/permissions.ts'
import { isRepeatable } from '../answers/repeatable.ts'
import { errorCodes, errorResponses } from './errors.ts'
import {
  allowanceHeaders,
  answerHeaders,
  cookieHeader,
  idempotencyHeader,
  locationHeader,
  replayedHeader,
} from './headers.ts'

type Access = NonNullable<FastifyContextConfig['access']>

interface Route {
  readonly schema: FastifySchema | undefined
  readonly url: string
  readonly config: FastifyContextConfig | undefined
}

/** Adds errors, scope and headers to the OpenAPI description of a route. */
export function describeRoute({ schema = {}, url, config }: Route, method: string) {
  const { scope, access, permission, confirmed, noun, errors = [] } = config ?? {}
  if (schema.hide || (scope === undefined && access === undefined)) return schema
  if (schema.operationId === undefined) throw new Error(`${method} ${url} has no operationId`)
  const repeatable = isRepeatable(method, config)
  const conditions = access === undefined ? scoped([scope ?? []].flat()) : accessed(access, permission)
  return {
    ...schema,
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

/** The key alone, although a session will do: a generated client would send both. */
function scoped(wanted: readonly string[]) {
  return {
    description: `Scope: ${wanted.map((one) => `\`${one}\``).join(' or ')}.`,
    security: [{ key: [] }],
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
          ...(status === '201' && locationHeader),
          ...(repeatable && replayedHeader),
        },
        content: one.content ?? { 'application/json': { schema: one } },
      },
    ]),
  )
}
