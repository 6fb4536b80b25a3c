import type { Db } from '#/base/db/schema.ts'
import { invalid, notFound } from '#/base/errors.ts'
import { collected } from '#/base/event-loop/pieces.ts'
import type { MessageReader } from '#/formats/mime/reader.ts'
import { changeOnce } from '#/http/answers/claimed-key.ts'
import { answerOnce, ok } from '#/http/answers/idempotency.ts'
import { readyText, sendSerialized } from '#/http/answers/serialized-json.ts'
import type { App } from '#/http/app-type.ts'
import { paged, timedPlace } from '#/http/schemas/cursor.ts'
import { ById, pathId, readPart } from '#/http/schemas/shared-schemas.ts'
import { timestamp } from '#/http/schemas/timestamp.ts'
import type { LargeMessages } from '#/mail/messages/large.ts'
import { cancel } from '#/out/queue/lifecycle.ts'
import { queuedOctets } from '#/out/queue/message.ts'
import { outgoing } from '#/out/sending/outgoing.ts'
import { bodyLimit } from '#/out/sending/schemas.ts'
import { mailboxOf, scheduledById, scheduledOf, statusOf } from './queries.ts'
import { move, retry } from './schedule.ts'
import { type SchedulingDependencies, scheduling } from './schedule-once.ts'
import { mostListed, type Scheduled } from './scheduled-message.ts'
import {
  Accepted,
  Cancelled,
  Moved,
  present,
  RetriedScheduled,
  ScheduleChange,
  ScheduledContent,
  ScheduledList,
  ScheduledQuery,
  ScheduleRequest,
  stateOfMoved,
  stateOfScheduled,
} from './schemas.ts'
import { assertWithinWindow } from './send-at.ts'

export interface ScheduledDependencies extends SchedulingDependencies {
  readonly reader: MessageReader
  readonly large: LargeMessages
}

const reading = { scope: 'scheduled:read', noun: 'Scheduled messages' } as const
const writing = { scope: 'scheduled:write', noun: 'Scheduled messages' } as const
const what = 'scheduled message'

/** Messages that are stored now and sent later. */
export function scheduledRoutes(app: App, parts: ScheduledDependencies): void {
  readRoutes(app, parts)
  createRoute(app, parts)
  changeRoutes(app, parts)
}

function readRoutes(app: App, { db, reader, mailKey, large }: ScheduledDependencies): void {
  app.get(
    '/v1/scheduled',
    {
      config: reading,
      schema: {
        summary: 'List scheduled messages',
        operationId: 'listScheduledMessages',
        description:
          'All messages that are pending, being sent, failed or cancelled by an answer, soonest first, at most 200 in an answer, including those ' +
          'that members scheduled in a session. Failed and cancelled ones stay for 30 days.',
        querystring: ScheduledQuery,
        response: { 200: ScheduledList },
      },
    },
    async ({ caller, query: { cursor, limit = mostListed, status } }) => {
      const list = [caller.organizationId, 'scheduled', status ?? null]
      const wanted = { status, after: timedPlace(cursor, list), most: limit + 1 }
      const found = await scheduledOf(db, mailKey, caller, wanted)
      const { page, next_cursor } = paged(found, { limit, list, placeOf })
      return { data: page.map(present), next_cursor }
    },
  )

  app.get(
    '/v1/scheduled/:id',
    {
      config: reading,
      schema: {
        summary: 'Show a scheduled message',
        operationId: 'getScheduledMessage',
        description: 'Answers the message with its text and HTML, and the names of its attachments.',
        params: ById,
        response: { 200: ScheduledContent },
      },
    },
    async ({ caller, params }, reply) => {
      const id = pathId(params.id, what)
      const found = await scheduledById(db, mailKey, { caller, id })
      if (!found) throw notFound(what)
      await large.reserve(reply, found.sizeBytes)
      const raw = await collected(queuedOctets(db, mailKey, id), found.sizeBytes)
      const { text, html, attachments } = await reader.content(raw)
      const names = attachments.map(({ filename, content_type, size_bytes, inline }) => ({
        filename,
        content_type,
        size_bytes,
        inline,
      }))
      return sendSerialized(reply, {
        ...present(found),
        text: readyText(text),
        html: readyText(html),
        attachments: names,
      })
    },
  )
}

function placeOf({ sendAt, id }: Scheduled): [number, string] {
  return [sendAt.getTime() * 1_000, id]
}

function createRoute(app: App, parts: ScheduledDependencies): void {
  const schedule = scheduling(app, parts)
  app.post(
    '/v1/scheduled',
    {
      bodyLimit,
      config: { ...writing, errors: ['not_found', 'quota_exceeded'] },
      schema: {
        summary: 'Schedule a message',
        operationId: 'createScheduledMessage',
        description:
          'The message is sent within about five minutes of `send_at`, which is its Date, and can be cancelled until then. ' +
          "It claims the day's allowance when it is sent. After three attempts, five minutes apart, it is `failed`, and " +
          '`last_error` says why. The plan caps how many messages, and how many bytes of them, are stored at a time, ' +
          'failed ones included.',
        body: ScheduleRequest,
        response: { 201: Accepted },
      },
    },
    async (request, reply) => {
      const { send_at, unless_replied: unlessReplied = false, ...body } = request.body
      const message = outgoing(request.caller, body)
      await schedule(request, reply, { body, message, sendAt: timestamp(send_at, 'send_at'), unlessReplied })
    },
  )
}

function changeRoutes(app: App, { db, time, mailKey }: ScheduledDependencies): void {
  app.patch(
    '/v1/scheduled/:id',
    {
      config: writing,
      schema: {
        summary: 'Move a scheduled message to another time',
        operationId: 'updateScheduledMessage',
        description:
          'Changes the `send_at` of a `pending` message, and its Date with it. If it is no longer `pending`, the ' +
          'answer is `invalid_request`.',
        params: ById,
        body: ScheduleChange,
        response: { 200: Moved },
      },
    },
    async (request) => {
      const { caller, actor, scopes, params, body } = request
      const id = pathId(params.id, what)
      const sendAt = timestamp(body.send_at, 'send_at')
      assertWithinWindow(sendAt, await time(db))
      const answer = await changeOnce(db, request, async (tx) => {
        const one = await move(tx, mailKey, { caller, id, sendAt }, actor)
        if (!one) return undefined
        const moved = { ...present(one.moved), warnings: one.warnings }
        return readPart(moved, stateOfMoved, scopes.has('scheduled:read'))
      })
      if (!answer) throw await refusal(db, { caller, id }, 'it can no longer be moved to another time')
      return answer
    },
  )

  app.delete(
    '/v1/scheduled/:id',
    {
      config: writing,
      schema: {
        summary: 'Cancel a scheduled message',
        operationId: 'cancelScheduledMessage',
        description:
          'Deletes the message with its attachments; it does not go back to drafts. If it is no longer `pending`, ' +
          'the answer is `invalid_request`.',
        params: ById,
        response: { 200: Cancelled },
      },
    },
    async (request) => {
      const { caller, actor, params } = request
      const id = pathId(params.id, what)
      const answer = await changeOnce(db, request, async (tx) =>
        (await cancel(tx, caller, id, actor)) ? { cancelled: true as const, id } : undefined,
      )
      if (!answer) throw await refusal(db, { caller, id }, 'it can no longer be cancelled')
      return answer
    },
  )

  app.post(
    '/v1/scheduled/:id/retry',
    {
      config: writing,
      schema: {
        summary: 'Retry a scheduled message',
        operationId: 'retryScheduledMessage',
        description:
          'Puts a message that has failed, or that an answer cancelled, back to `pending`, to be sent now, with ' +
          'three more attempts. For any other message the answer is `invalid_request`.',
        params: ById,
        response: { 200: RetriedScheduled },
      },
    },
    async (request, reply) => {
      const { caller, scopes, params } = request
      const id = pathId(params.id, what)
      const now = await time(db)
      return answerOnce(db, request, reply, async (tx) => {
        const retried = await retry(tx, mailKey, { caller, id }, now)
        if (!retried) throw await refusal(tx, { caller, id }, 'only a failed one can be sent again')
        return ok(readPart(present(retried), stateOfScheduled, scopes.has('scheduled:read')), stateOfScheduled)
      })
    },
  )
}

/** The error for a message that the caller may not send, or whose state does not allow the change. */
async function refusal(db: Db, named: Parameters<typeof statusOf>[1], consequence: string): Promise<Error> {
  const { id = null, address = '' } = (await mailboxOf(db, named)) ?? {}
  if (id !== null) named.caller.assertMay('send', { id, address })
  const status = await statusOf(db, named)
  return status ? invalid('id', `This message is ${status}: ${consequence}`) : notFound(what)
}
