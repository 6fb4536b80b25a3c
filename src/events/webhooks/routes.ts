import type { FastifyRequest } from 'fastify'
import { notFound } from '#/base/errors.ts'
import { assertMayReceive, typesNamed } from '#/events/event-stream/visible.ts'
import { changeOnce } from '#/http/answers/claimed-key.ts'
import { answerOnce, created, ok } from '#/http/answers/idempotency.ts'
import type { App } from '#/http/app-type.ts'
import { pagedWhole } from '#/http/schemas/cursor.ts'
import { ById, Id, ListOf, pathId, Strict, wholeOrPages } from '#/http/schemas/shared-schemas.ts'
import { type Static, Type } from '#/http/schemas/type.ts'
import { mailboxFor } from '#/mail/mailboxes/readable.ts'
import { deliveryRoutes } from './delivery-routes.ts'
import type { WebhookDependencies } from './dependencies.ts'
import { addWebhook, type Change, changeWebhook, removeWebhook, rotateSecret } from './manage.ts'
import { type Settings, type Webhook, webhookById, webhooksOf } from './queries.ts'
import { NewWebhook, present, WebhookChange, WebhookOut, WithSecret } from './schemas.ts'
import { testRoute } from './test-route.ts'
import { mostWebhooks, receiverUrl, webhookName } from './webhook.ts'

const reading = { config: { scope: 'webhooks:read', noun: 'Webhooks' } } as const
const changing = { config: { scope: 'webhooks:write', noun: 'Webhooks' } } as const

/** URLs that events are posted to. */
export function webhookRoutes(app: App, parts: WebhookDependencies): void {
  readRoutes(app, parts)
  createRoute(app, parts)
  changeRoutes(app, parts)
  rotateRoute(app, parts)
  deliveryRoutes(app, parts)
  testRoute(app, parts)
}

async function changeBy(
  { caller, actorId, actor }: FastifyRequest,
  { db, time, webhooks: { secretKey } }: WebhookDependencies,
): Promise<Change> {
  return { caller, actorId, by: actor, now: await time(db), secretKey }
}

/** The settings in a body, as far as the caller may receive them. */
async function settingsIn(
  request: FastifyRequest,
  { db, webhooks: { allowed } }: WebhookDependencies,
  { name, url, types, mailbox }: Partial<Static<typeof NewWebhook>>,
): Promise<Partial<Settings>> {
  if (types) assertMayReceive(await request.identify(), typesNamed(types, 'types'))
  const about = typeof mailbox === 'string' ? await mailboxFor(db, request.caller, 'read', mailbox) : undefined
  return {
    ...(name !== undefined && { name: webhookName(name) }),
    ...(url !== undefined && { url: receiverUrl(url, allowed) }),
    ...(types !== undefined && { types }),
    ...(mailbox !== undefined && { mailbox_id: about?.mailboxId ?? null }),
  }
}

function readRoutes(app: App, { db }: WebhookDependencies): void {
  app.get(
    '/v1/webhooks',
    {
      ...reading,
      schema: {
        summary: 'List webhooks',
        operationId: 'listWebhooks',
        description: 'Lists webhooks, oldest first. A key that is restricted to mailboxes sees its own.',
        querystring: Strict(wholeOrPages),
        response: { 200: ListOf(WebhookOut) },
      },
    },
    async (request) => {
      const list = [request.organizationId, 'webhooks']
      const { page, next_cursor } = pagedWhole(await webhooksOf(db, request), request.query, { list, placeOf })
      return { data: page.map(present), next_cursor }
    },
  )

  app.get(
    '/v1/webhooks/:id',
    {
      ...reading,
      schema: { summary: 'Show a webhook', operationId: 'getWebhook', params: ById, response: { 200: WebhookOut } },
    },
    async (request) => {
      const webhook = await webhookById(db, request, pathId(request.params.id, 'webhook'))
      if (!webhook) throw notFound('webhook')
      return present(webhook)
    },
  )
}

function placeOf({ created_at: at, id }: Webhook): [number, string] {
  return [at.getTime(), id]
}

function createRoute(app: App, parts: WebhookDependencies): void {
  app.post(
    '/v1/webhooks',
    {
      config: { ...changing.config, errors: ['not_found'] },
      schema: {
        summary: 'Create a webhook',
        operationId: 'createWebhook',
        description:
          'Events from now on are posted to the URL, signed as in Standard Webhooks, with the rights of its creator. ' +
          `An organization has at most ${mostWebhooks} webhooks.`,
        body: NewWebhook,
        response: { 201: WithSecret },
      },
    },
    async (request, reply) => {
      const { name = '', url = '', types = null, mailbox_id = null } = await settingsIn(request, parts, request.body)
      const change = await changeBy(request, parts)
      await answerOnce(parts.db, request, reply, async (tx) => {
        const { webhook, secret } = await addWebhook(tx, change, { name, url, types, mailbox_id })
        return created(`/v1/webhooks/${webhook.id}`, { ...present(webhook), secret }, 'secret')
      })
    },
  )
}

function changeRoutes(app: App, parts: WebhookDependencies): void {
  app.patch(
    '/v1/webhooks/:id',
    {
      ...changing,
      schema: {
        summary: 'Change, pause or resume a webhook',
        operationId: 'updateWebhook',
        description:
          'If more than the name changes, or if the webhook is resumed, it has the rights of whoever did that ' +
          'from then on. Waiting deliveries are tried at once when it is resumed, or when it gets another URL ' +
          'while it is not paused.',
        params: ById,
        body: WebhookChange,
        response: { 200: WebhookOut },
      },
    },
    async (request) => {
      const { paused, ...body } = request.body
      const settings = await settingsIn(request, parts, body)
      const change = await changeBy(request, parts)
      const id = pathId(request.params.id, 'webhook')
      const wanted = { ...settings, ...(paused !== undefined && { paused }) }
      return await changeOnce(parts.db, request, async (tx) => present(await changeWebhook(tx, change, id, wanted)))
    },
  )

  app.delete(
    '/v1/webhooks/:id',
    {
      ...changing,
      schema: {
        summary: 'Delete a webhook',
        operationId: 'deleteWebhook',
        params: ById,
        response: { 200: Type.Object({ deleted: Type.Literal(true), id: Id }) },
      },
    },
    async (request) => {
      const id = pathId(request.params.id, 'webhook')
      const change = await changeBy(request, parts)
      return await changeOnce(parts.db, request, async (tx) => {
        await removeWebhook(tx, change, id)
        return { deleted: true as const, id }
      })
    },
  )
}

function rotateRoute(app: App, parts: WebhookDependencies): void {
  app.post(
    '/v1/webhooks/:id/rotate',
    {
      ...changing,
      schema: {
        summary: 'Rotate the secret of a webhook',
        operationId: 'rotateWebhookSecret',
        description: 'For 24 hours requests are signed with both secrets; then with the new one alone.',
        params: ById,
        response: { 200: WithSecret },
      },
    },
    async (request, reply) => {
      const id = pathId(request.params.id, 'webhook')
      const change = await changeBy(request, parts)
      await answerOnce(parts.db, request, reply, async (tx) => {
        const { webhook, secret } = await rotateSecret(tx, change, id)
        return { ...ok({ ...present(webhook), secret }), secret: 'secret' }
      })
    },
  )
}
