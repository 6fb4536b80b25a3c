import type { FastifyRequest } from 'fastify'
import { Patience, withPatience } from '#/db/connections/patience.ts'
import type { App } from '../app-type.ts'

/** Has no request wait for long for one answer of the database, so that each is answered within the time that is documented. */
export function limitWaits(app: App): void {
  const patiences = new WeakMap<FastifyRequest, Patience>()
  app.addHook('onRequest', (request, _reply, next) => {
    const patience = new Patience()
    patiences.set(request, patience)
    withPatience(patience, next)
  })
  // Reading the body loses the async context.
  app.addHook('preValidation', (request, _reply, next) => {
    const patience = patiences.get(request)
    if (patience) withPatience(patience, next)
    else next()
  })
  app.addHook('onSend', async (request) => patiences.get(request)?.end())
}
