import type { FastifyContextConfig, RouteHandlerMethod } from 'fastify'
import type { Db } from '#/base/db/schema.ts'
import type { App } from '../app-type.ts'
import { answerClaimed } from './claimed-key.ts'
import { ok } from './idempotency.ts'

/** Whether a route takes an Idempotency-Key: all that change something do, but for those that open or confirm a session. */
export function isRepeatable(method: string, config: FastifyContextConfig | undefined): boolean {
  if (!/^(?:POST|PUT|PATCH|DELETE)$/.test(method)) return false
  const isForCallers = config?.scope !== undefined || config?.access === 'member'
  return isForCallers && config?.repeatable !== false
}

/** Lets PUT, PATCH and DELETE answer what their handlers return as `answerClaimed` does; a POST does so itself. To be called before there
 *  are routes. */
export function repeatChanges(app: App, db: Db): void {
  app.addHook('onRoute', (route) => {
    const method = String(route.method)
    const handler = route.handler
    if (method === 'POST') route.handler = answeringItself(handler)
    if (method === 'POST' || !isRepeatable(method, route.config)) return
    const repeated: RouteHandlerMethod = async function (request, reply) {
      if (request.headers['idempotency-key'] === undefined) return await handler.call(this, request, reply)
      await answerClaimed(db, request, reply, async () => {
        const body: unknown = await handler.call(this, request, reply)
        if (typeof body !== 'object' || body === null) throw new Error('A change returns what it answers')
        return ok(body)
      })
      return reply
    }
    route.handler = repeated
  })
}

/** What a handler has sent may wait for memory, or for another hook, once the handler has ended. Without its reply Fastify would take it
 *  for one that answers nothing, and send that as well. */
function answeringItself(handler: RouteHandlerMethod): RouteHandlerMethod {
  return async function (request, reply) {
    return (await handler.call(this, request, reply)) ?? reply
  }
}
