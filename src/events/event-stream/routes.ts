import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Db } from '#/base/db/schema.ts'
import { invalid } from '#/base/errors.ts'
import { beginning, type Cursor, readCursor } from '#/base/event-log/cursor.ts'
import type { EventFeed } from '#/base/event-log/feed.ts'
import { boundsOf } from '#/base/event-log/log.ts'
import { FairShare } from '#/base/event-loop/fair-share.ts'
import type { Presence } from '#/events/presence/presence.ts'
import type { App } from '#/http/app-type.ts'
import { shareUntilAnswered } from '#/http/rate/budgets.ts'
import { Type } from '#/http/schemas/type.ts'
import { mailboxFor } from '#/mail/mailboxes/readable.ts'
import { assertAlone } from '#/mail/messages/message.ts'
import { poll, type Reader, stream } from './follow.ts'
import { EventPage, EventsQuery, StreamedEvent, StreamQuery } from './schemas.ts'
import { assertMayReceive, type Names, typesNamed } from './visible.ts'

interface EventDependencies {
  readonly db: Db
  readonly events: EventFeed
  readonly names: Names
  readonly presence: Presence
}

/** Requests that read events, or wait for them, in a process. */
const budget = { all: 5_000, waiting: 0, patience: 0 }

const streamed = {
  description: 'A stream of events.',
  // The schema is that of a message of the stream.
  content: { 'text/event-stream': { schema: Type.Unsafe<FastifyReply>(StreamedEvent) } },
}

const noun = { noun: 'Events', scope: 'events:read', errors: ['not_found'] } as const

/** The event log: page by page, waiting for the next event, or as a stream. */
export function eventRoutes(app: App, { db, events: feed, names, presence: all }: EventDependencies): void {
  const requests = new FairShare(budget)

  async function readerOf(request: FastifyRequest, reply: FastifyReply, query: Query): Promise<Reader> {
    const { caller, organizationId, headers } = request
    const types = query.types === undefined ? undefined : typesNamed(query.types.split(','), 'types')
    const identity = await request.identify()
    assertMayReceive(identity, types)
    const resumed = query.resumes ? [headers['last-event-id']].flat()[0] : undefined
    const [field, given] = resumed
      ? ['Last-Event-ID', resumed]
      : query.cursor
        ? ['cursor', query.cursor]
        : ['after', query.after]
    const after = await startOf(db, given, field)
    const mailbox = query.mailbox === undefined ? undefined : await mailboxFor(db, caller, 'read', query.mailbox)
    const gone = new AbortController()
    reply.raw.once('close', () => gone.abort())
    await shareUntilAnswered(requests, reply, 1, 'Too many requests wait for events')
    const wanted = { types, mailboxId: mailbox?.mailboxId }
    // Presence concerns members only. It is sent to members that select no types.
    const presence = request.member && !types ? all : undefined
    return { db, feed, names, organizationId, wanted, after, identify: request.identify, gone: gone.signal, presence }
  }

  async function answerStream(request: FastifyRequest, reply: FastifyReply, query: Query): Promise<FastifyReply> {
    const reader = await readerOf(request, reply, { ...query, resumes: true })
    reply.headers({ 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' })
    // A HEAD request has no body to stream.
    return reply.send(request.method === 'HEAD' ? '' : Readable.from(stream(reader), { objectMode: false }))
  }

  app.get(
    '/v1/events',
    {
      config: noun,
      schema: {
        summary: 'Read events',
        operationId: 'listEvents',
        description:
          'Lists events in the order of commits. To read a type, a key also needs the scope of its subject. ' +
          'Events are kept for 30 days. With `Accept: text/event-stream` the answer is that of `GET ' +
          '/v1/events/stream`.',
        querystring: EventsQuery,
        response: { 200: EventPage },
      },
    },
    async (request, reply) => {
      const { limit = 100, wait = 0, ...query } = request.query
      if (query.cursor !== undefined) assertAlone('cursor', { after: query.after })
      if (asksForStream(request)) return await answerStream(request, reply, query)
      const page = await poll(await readerOf(request, reply, query), limit, wait * 1_000)
      return { ...page, next_cursor: page.has_more ? page.next : null }
    },
  )

  app.get(
    '/v1/events/stream',
    {
      config: noun,
      schema: {
        summary: 'Follow events',
        operationId: 'streamEvents',
        description:
          'A stream of server-sent events, in the order of commits, that goes on from `Last-Event-ID` or `after`. Each message ' +
          'has the `id` of an event, and the event in `data`. Each type also needs the scope of its subject. In a session the ' +
          'stream also has messages of the events `presence` and `settings`, without an id.',
        querystring: StreamQuery,
        response: { 200: streamed },
      },
    },
    (request, reply) => answerStream(request, reply, request.query),
  )
}

interface Query {
  readonly types?: string
  readonly mailbox?: string
  readonly after?: string
  /** The same, of a page; empty for the first. */
  readonly cursor?: string
  /** Whether it goes on from Last-Event-ID. */
  readonly resumes?: boolean
}

function asksForStream({ method, headers }: FastifyRequest): boolean {
  return method === 'GET' && /\btext\/event-stream\b/i.test(headers.accept ?? '')
}

/** @throws Refusal for a cursor older than the oldest stored event, or of another log */
async function startOf(db: Db, after: string | undefined, field: string): Promise<Cursor> {
  if (after === undefined) return beginning
  const { forgotten, settled, durable } = await boundsOf(db)
  if (after === 'now') return { position: durable, id: 0 }
  const cursor = readCursor(after, field)
  if (cursor.position >= forgotten && cursor.position <= settled) return cursor
  throw invalid(
    field,
    cursor.position < forgotten
      ? 'Events of that time are deleted: they are kept for 30 days'
      : 'The log has no such position: the database was restored from a backup',
    'Get `next` with after=now, read again what you keep a copy of, then read events from that `next`',
  )
}
