import { randomUUID } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { notFound } from '#/base/errors.ts'
import { answerClaimed } from '#/http/answers/claimed-key.ts'
import { ok } from '#/http/answers/idempotency.ts'
import type { App } from '#/http/app-type.ts'
import { ById } from '#/http/schemas/shared-schemas.ts'
import { Type } from '#/http/schemas/type.ts'
import { attempt, receiverOf } from './attempt.ts'
import { changing, outcome, webhookIn } from './delivery-routes.ts'
import type { WebhookDependencies } from './dependencies.ts'
import { resumeFailed } from './manage.ts'
import { receiverIn } from './queries.ts'

/** Posts a test to a webhook. */
export function testRoute(app: App, parts: WebhookDependencies): void {
  const { db, time, webhooks } = parts
  const { http, secretKey } = webhooks
  app.post(
    '/v1/webhooks/:id/test',
    {
      config: changing,
      schema: {
        summary: 'Send a webhook a test event',
        operationId: 'testWebhook',
        description:
          'Posts a `webhook.test` once, also while the webhook is paused, and answers the result, after at most 10 s. If it is ' +
          'delivered, a webhook that failed goes on at once, also if it was paused for that.',
        params: ById,
        response: { 200: Type.Object({ delivered: Type.Boolean(), ...outcome }, { title: 'WebhookTest' }) },
      },
    },
    async (request, reply) => {
      const { id } = await webhookIn(db, request)
      await answerClaimed(db, request, reply, async () => {
        const found = await receiverIn(db, request.organizationId, id)
        if (!found) throw notFound('webhook')
        const now = await time(db)
        const notice = { id: `test_${randomUUID()}`, type: 'webhook.test', timestamp: now.toISOString(), data: {} }
        const result = await attempt(http, receiverOf(secretKey, found, now), notice, now)
        if (result.delivered) await goOn(parts, request, id)
        return ok(result)
      })
    },
  )
}

async function goOn(
  { db, time, webhooks: { secretKey } }: WebhookDependencies,
  request: FastifyRequest,
  id: string,
): Promise<void> {
  const { caller, actorId, actor } = request
  const change = { caller, actorId, by: actor, now: await time(db), secretKey }
  await db.transaction().execute((tx) => resumeFailed(tx, change, id))
}
