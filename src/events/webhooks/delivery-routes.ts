import type { FastifyRequest } from 'fastify'
import type { Db } from '#/base/db/schema.ts'
import { notFound, Refusal } from '#/base/errors.ts'
import { type Cursor, cursorText, isBefore, readCursor } from '#/base/event-log/cursor.ts'
import { eventsAfter, eventsAt } from '#/base/event-log/log.ts'
import { eventTypes } from '#/base/event-log/types.ts'
import { lockOrganization } from '#/base/ownership/lock.ts'
import { typesNamed, visibleEvents } from '#/events/event-stream/visible.ts'
import { answerOnce, ok } from '#/http/answers/idempotency.ts'
import type { App } from '#/http/app-type.ts'
import { notOurs, paged, placeIn } from '#/http/schemas/cursor.ts'
import {
  ById,
  cursorParameter,
  Line,
  Nullable,
  nextCursor,
  OneOf,
  pathId,
  Strict,
  Timestamp,
} from '#/http/schemas/shared-schemas.ts'
import { type Static, Type } from '#/http/schemas/type.ts'
import { type Delivery, deliveriesOf, redeliver, waitingCount } from './deliveries.ts'
import type { WebhookDependencies } from './dependencies.ts'
import { tryAtOnce, type Webhook, webhookById } from './queries.ts'
import { shown } from './schemas.ts'
import { mostWaiting } from './webhook.ts'

const event = '06b5a0f2e0012f00000000000041'
const eventId = { examples: [event] }

/** The result of an attempt. */
export const outcome = {
  status: Nullable(Type.Integer({ description: 'HTTP status of the last answer; null without one.', examples: [204] })),
  answer: Nullable(Type.String({ description: 'The first KiB of its body.' })),
  error: Nullable(Type.String({ description: 'Why it was not delivered.', examples: ['It answered 500'] })),
  milliseconds: Nullable(Type.Integer({ description: 'How long the last attempt took.' })),
}

const DeliveryOut = Type.Object(
  {
    event: Type.String(eventId),
    type: OneOf(eventTypes, { examples: ['message.received'] }),
    state: OneOf(['waiting', 'delivered', 'failed']),
    attempts: Type.Integer({
      minimum: 0,
      description: 'How many attempts there were; 0 if it waits for an earlier delivery.',
    }),
    last_at: Nullable(Timestamp),
    next_at: Nullable(Timestamp),
    ...outcome,
  },
  { title: 'WebhookDelivery' },
)

const DeliveryPage = Type.Object(
  { data: Type.Array(DeliveryOut), next_cursor: nextCursor },
  { title: 'WebhookDeliveryPage' },
)

const Replay = Strict(
  {
    event: Type.Optional(Line({ minLength: 1, maxLength: 100, description: 'The id of an event.', ...eventId })),
    after: Type.Optional(Line({ minLength: 1, maxLength: 100, description: 'All events after this one.', ...eventId })),
    until: Type.Optional(
      Line({ minLength: 1, maxLength: 100, description: 'With `after`: up to this one.', ...eventId }),
    ),
  },
  { minProperties: 1, examples: [{ after: event }] },
)

const reading = { scope: 'webhooks:read', noun: 'Webhooks' } as const
export const changing = { scope: 'webhooks:write', noun: 'Webhooks' } as const

/** A webhook's deliveries: lists and replays them. */
export function deliveryRoutes(app: App, parts: WebhookDependencies): void {
  listRoute(app, parts)
  replayRoute(app, parts)
}

export async function webhookIn(db: Db, request: FastifyRequest<{ Params: { id: string } }>): Promise<Webhook> {
  const webhook = await webhookById(db, request, pathId(request.params.id, 'webhook'))
  if (!webhook) throw notFound('webhook')
  return webhook
}

function listRoute(app: App, { db }: WebhookDependencies): void {
  app.get(
    '/v1/webhooks/:id/deliveries',
    {
      config: reading,
      schema: {
        summary: 'List the deliveries of a webhook',
        operationId: 'listWebhookDeliveries',
        description:
          'Lists deliveries, those of the newest events first: all that wait or have failed, for as long as the ' +
          'event is kept, and the 100 newest that were delivered.',
        params: ById,
        querystring: Strict({
          state: Type.Optional(OneOf(['waiting', 'delivered', 'failed'])),
          limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
          cursor: cursorParameter,
        }),
        response: { 200: DeliveryPage },
      },
    },
    async (request) => {
      const { state, limit = 50, cursor } = request.query
      const { id } = await webhookIn(db, request)
      const list = ['webhook deliveries', id, state ?? null] as const
      const before = cursor ? positionIn(placeIn(cursor, list)) : undefined
      const of = { organizationId: request.organizationId, id }
      const found = await deliveriesOf(db, of, { state, before, limit: limit + 1 })
      const placeOf = (one: Delivery) => [one.position, one.id]
      const { page, next_cursor } = paged(found, { limit, list, placeOf })
      return { data: page.map(present), next_cursor }
    },
  )
}

function positionIn([position, id]: readonly unknown[]): Cursor {
  if (!Number.isSafeInteger(position) || !Number.isSafeInteger(id)) throw notOurs()
  return { position: Number(position), id: Number(id) }
}

function present(delivery: Delivery): Static<typeof DeliveryOut> {
  const { type, state, attempts, due_at, last_at, status, answer, error, milliseconds } = delivery
  return {
    event: cursorText(delivery),
    // Only such types have events.
    type: type as Static<typeof DeliveryOut>['type'],
    ...{ state, attempts },
    last_at: shown(last_at),
    next_at: state === 'waiting' ? shown(due_at) : null,
    ...{ status, answer, error, milliseconds },
  }
}

function replayRoute(app: App, { db, time }: WebhookDependencies): void {
  app.post(
    '/v1/webhooks/:id/replay',
    {
      config: changing,
      schema: {
        summary: 'Deliver events again',
        operationId: 'replayWebhook',
        description:
          'Delivers one event again, or all events of the webhook after one, up to 1,000 at a time. `next` is the `after` for ' +
          'the next request, or null if there are no more. The events have the ids that they had. Whatever waits already ' +
          'counts among the 1,000. A webhook that failed tries one of them at once, even if it was paused for that, and goes ' +
          'on once it is delivered.',
        params: ById,
        body: Replay,
        response: {
          200: Type.Object({
            replayed: Type.Integer({ minimum: 0 }),
            next: Nullable(Type.String({ description: 'The next `after`, if more events follow.', ...eventId })),
          }),
        },
      },
    },
    async (request, reply) => {
      const { organizationId, body } = request
      const { id, types, mailbox } = await webhookIn(db, request)
      const span = spanIn(body)
      const identity = await request.identify()
      if (!identity) throw new Refusal('unauthorized', 'The key or session has ended meanwhile')
      const wanted = { types: types ? typesNamed(types, 'types') : undefined, mailboxId: mailbox?.id }
      await answerOnce(db, request, reply, async (tx) => {
        await lockOrganization(tx, organizationId)
        const now = await time(tx)
        const room = mostWaiting - (await waitingCount(tx, { organizationId, id }))
        if (room <= 0) throw new Refusal('conflict', `${mostWaiting} deliveries wait already`, { retryAfter: 60 })
        const page = span.only
          ? { events: await eventsAt(tx, organizationId, [span.only]), end: span.only, more: false }
          : await eventsAfter(tx, organizationId, span.after, Math.min(room, mostWaiting))
        const until = span.until
        const inSpan = page.events.filter((event) => !until || !isBefore(until, event))
        const seen = await visibleEvents(tx, identity, wanted, inSpan)
        if (span.only && seen.length === 0) throw notFound('event')
        await redeliver(
          tx,
          { organizationId, id },
          seen.map(({ event }) => event),
          now,
        )
        if (seen.length > 0) await tryAtOnce(tx, { organizationId, id }, now)
        const more = page.more && inSpan.length === page.events.length
        return ok({ replayed: seen.length, next: more ? cursorText(page.end) : null })
      })
    },
  )
}

interface Span {
  readonly only?: Cursor
  readonly after: Cursor
  readonly until?: Cursor
}

function spanIn({ event, after, until }: Static<typeof Replay>): Span {
  if (event !== undefined && (after ?? until) !== undefined)
    throw new Refusal('invalid_request', 'event cannot be combined with after or until', { field: 'event' })
  if (event !== undefined) {
    const only = readCursor(event, 'event')
    return { only, after: only }
  }
  if (after === undefined) throw new Refusal('invalid_request', 'after is missing', { field: 'after' })
  return { after: readCursor(after, 'after'), ...(until !== undefined && { until: readCursor(until, 'until') }) }
}
