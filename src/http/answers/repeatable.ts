import type { FastifyContextConfig, RouteHandlerMethod } from 'fastify'
import type { Db } from '#/db/schema.ts'
import type { App } from '../app-type.ts'
import { answerChange } from './idempotency.ts'

/** Whether a route takes an Idempotency-Key: all that change something do, but for those that open or confirm a session. */
export function isRepeatable(method: string, config: FastifyContextConfig | undefined): boolean {
  if (!/^(?:POST|PUT|PATCH|DELETE)$/.test(method)) return false
  const isForCallers = config?.scope !== undefined || config?.access === 'member'
  return isForCallers && config?.repeatable !== false
}

/** Lets PUT, PATCH and DELETE answer a repetition as `answerAfter` does; a POST does so itself. To be called before there are routes. */
export function repeatChanges(app: App, db: Db): void {
  app.addHook('onRoute', (route) => {
    const method = String(route.method)
    if (method === 'POST' || !isRepeatable(method, route.config)) return
    const handler = route.handler
    const repeated: RouteHandlerMethod = async function (request, reply) {
      if (request.headers['idempotency-key'] === undefined) return await handler.call(this, request, reply)
      await answerChange(db, request, reply, async () => await handler.call(this, request, reply))
      return reply
    }
    route.handler = repeated
  })
}
