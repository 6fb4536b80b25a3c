import type { Clock } from '#/base/clock/clock.ts'
import type { Db } from '#/base/db/schema.ts'
import { notFound } from '#/base/errors.ts'
import { changeOnce } from '#/http/answers/claimed-key.ts'
import type { App } from '#/http/app-type.ts'
import { pagedWhole } from '#/http/schemas/cursor.ts'
import { ById, Id, ListOf, pathId, Strict, Timestamp, wholeOrPages } from '#/http/schemas/shared-schemas.ts'
import { Type } from '#/http/schemas/type.ts'
import { forMembers, memberOf } from './for-members.ts'
import { endOf } from './lifetime.ts'
import { sessionsOf } from './queries.ts'
import { endSession } from './sign-out.ts'

const SessionOut = Type.Object(
  {
    id: Id,
    current: Type.Boolean({ description: 'Whether it is the session of this request.' }),
    created_at: Timestamp,
    last_used_at: Timestamp,
    expires_at: Type.String({ format: 'date-time', description: 'When it ends, unless it is used again.' }),
    client_address: Type.String({ description: 'The address from which it was opened.', examples: ['192.0.2.7'] }),
    user_agent: Type.String({ description: 'What opened it, as the browser names itself; it may be empty.' }),
  },
  { title: 'Session' },
)

/** A member lists and ends their sessions. */
export function sessionListRoutes(app: App, { db, clock }: { readonly db: Db; readonly clock: Clock }): void {
  app.get(
    '/v1/me/sessions',
    {
      ...forMembers,
      schema: {
        summary: 'List your sessions',
        operationId: 'listSessions',
        description: 'Lists the sessions that have not ended, newest first.',
        querystring: Strict(wholeOrPages),
        response: { 200: ListOf(SessionOut) },
      },
    },
    async (request) => {
      const now = clock.now()
      const sessions = await sessionsOf(db, memberOf(request))
      const live = sessions.map((one) => ({ ...one, end: endOf(one) })).filter(({ end }) => end.getTime() > now)
      const list = [request.organizationId, 'sessions', request.actorId]
      const placeOf = ({ created_at: at, id }: { created_at: Date; id: string }) => [-at.getTime(), id]
      const { page, next_cursor } = pagedWhole(live, request.query, { list, placeOf })
      return {
        next_cursor,
        data: page.map(({ end, created_at, last_used_at, ...rest }) => ({
          ...rest,
          current: rest.id === request.member?.sessionId,
          created_at: created_at.toISOString(),
          last_used_at: last_used_at.toISOString(),
          expires_at: end.toISOString(),
        })),
      }
    },
  )

  app.delete(
    '/v1/me/sessions/:id',
    {
      ...forMembers,
      schema: {
        summary: 'End one of your sessions',
        operationId: 'endSession',
        description: 'The session ends within 5 seconds in every process.',
        params: ById,
        response: { 200: Type.Object({ ended: Type.Literal(true), id: Id }) },
      },
    },
    async (request) => {
      const id = pathId(request.params.id, 'session')
      return await changeOnce(db, request, async (tx) => {
        if (!(await endSession(tx, memberOf(request), id, request.actor))) throw notFound('session')
        return { ended: true as const, id }
      })
    },
  )
}
