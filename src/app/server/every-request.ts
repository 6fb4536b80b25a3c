import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Refusals } from '#/base/audit/refusals.ts'
import type { Clock } from '#/base/clock/clock.ts'
import type { Foreground } from '#/base/event-loop/foreground.ts'
import { authorizer } from '#/http/access/authorize.ts'
import type { App } from '#/http/app-type.ts'
import { assertOneHost } from '#/http/connections/malformed-requests.ts'
import type { SharedWindow } from '#/http/rate/shared-window.ts'
import { isWellFormedKey } from '#/people/keys/api-key.ts'
import type { Authenticator } from '#/people/keys/authenticate.ts'
import type { SessionAuthenticator } from '#/people/sessions/authenticate.ts'

export interface EveryRequestDependencies {
  readonly authenticator: Authenticator
  readonly refusals: Refusals
  readonly sessions: SessionAuthenticator
  readonly clock: Clock
  /** Called for each answer, with its route or null, and the seconds it took. */
  readonly observe?: ((method: string, route: string | null, status: number, seconds: number) => void) | undefined
  /** Background work waits for its requests. */
  readonly foreground?: Foreground | undefined
  /** Traces requests from their beginning. */
  readonly follow?: ((app: App) => void) | undefined
  /** Counts requests together with other processes; undefined if there can be none. */
  readonly sharedRate: SharedWindow | undefined
  /** The origin under which clients reach the API; undefined if not configured. */
  readonly publicUrl: string | undefined
}

/** Authenticates, limits, logs and counts the requests of an app. */
export function checkEveryRequest(app: App, parts: EveryRequestDependencies): void {
  const { authenticator, sessions, refusals, publicUrl, clock, sharedRate, observe, foreground, follow } = parts
  follow?.(app)
  const authorize = authorizer(
    {
      keys: { identify: (token, client) => authenticator.identify(token, client), isKey: isWellFormedKey },
      sessions,
      publicUrl,
    },
    () => clock.now(),
    sharedRate,
  )
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'X-Request-Id': request.id, 'X-Content-Type-Options': 'nosniff' })
    assertOneHost(request)
    // The route, not the URL, which has many spellings: /%761/labels is /v1/labels too.
    const path = request.routeOptions.url ?? request.url
    if (!/^\/v1(?:[/?]|$)/.test(path) || request.routeOptions.config?.open) return
    reply.header('Cache-Control', 'no-store')
    await authorize(request, reply)
  })
  app.addHook('onResponse', logRequest)
  app.addHook('onResponse', async (request, reply) => countRefusal(refusals, request, reply))
  if (foreground) app.addHook('onResponse', async (_request, { elapsedTime }) => foreground.answered(elapsedTime))
  if (!observe) return
  app.addHook('onResponse', async ({ method, routeOptions }, { statusCode, elapsedTime }) => {
    observe(method, routeOptions.url ?? null, statusCode, elapsedTime / 1_000)
  })
}

/** Logs the route and not the URL, which may have an address, or by mistake a key. */
async function logRequest(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  request.log.info(
    {
      client: request.clientAddress,
      method: request.method,
      route: request.routeOptions.url ?? null,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      organization_id: request.organizationId || undefined,
      [request.member ? 'member_id' : 'key_id']: request.actorId || undefined,
    },
    'request',
  )
}

/** For the audit trail: forbidden requests, and tokens that are no key. A request without a token is neither. */
function countRefusal(refusals: Refusals, request: FastifyRequest, { statusCode }: FastifyReply): void {
  const { clientAddress: address, organizationId, actor, method, routeOptions, headers } = request
  const route = `${method} ${routeOptions.url ?? '/v1'}`
  if (statusCode === 403 && organizationId) refusals.count({ by: { organizationId, actor }, address, route })
  if (statusCode === 401 && headers.authorization !== undefined) refusals.count({ address, route })
}
