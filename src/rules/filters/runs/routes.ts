import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Db } from '#/base/db/schema.ts'
import { notFound } from '#/base/errors.ts'
import type { Owner } from '#/base/ownership/owner.ts'
import type { Caller } from '#/http/access/caller.ts'
import type { OwnedRoutes } from '#/http/access/owned-routes.ts'
import { answerOnce, created, ok } from '#/http/answers/idempotency.ts'
import type { App } from '#/http/app-type.ts'
import { paged, timedPlace } from '#/http/schemas/cursor.ts'
import { ById, pathId, readPart } from '#/http/schemas/shared-schemas.ts'
import { cancelRun, runById, runsOf } from './queries.ts'
import type { Run } from './run.ts'
import {
  CancelledRun,
  defaultLimit,
  NewRun,
  present,
  presentItem,
  RunList,
  RunOut,
  RunQuery,
  stateOfRun,
} from './schemas.ts'
import { startRun } from './start.ts'

const what = 'filter run'

const beginning =
  'It applies to stored mail what the filters are now, in the background. Mail that arrives later is filtered as it ' +
  'arrives. `GET …/filter-runs/{id}` shows how far the run is, and its result. With `preview` nothing is changed.'

/** Runs of filters over stored mail. */
export function runRoutes(app: App, db: Db, of: OwnedRoutes): void {
  startRoutes(app, db, of)
  readRoutes(app, db, of)
  cancelRoute(app, db, of)
}

function startRoutes(app: App, db: Db, { own, at, access, named, ownerIn }: OwnedRoutes): void {
  const begin = (request: FastifyRequest, body: NewRun, reply: FastifyReply, filterId?: string) => {
    const { mailboxes, folders = ['inbox'], preview = false } = body
    const { caller, actor } = request
    const owner = ownerIn(request)
    return answerOnce(db, request, reply, async (tx) => {
      const wanted = { filterId, mailboxes, folders, preview }
      const id = await startRun(tx, { caller, owner, actor }, wanted)
      return created(`${at('/v1/filter-runs')}/${id}`, present(await found(tx, caller, owner, id)))
    })
  }
  const begins = { body: NewRun, response: { 201: RunOut } }

  app.post(
    at('/v1/filters/runs'),
    {
      ...access('messages:write', 'Filters', ['not_found']),
      schema: {
        ...named('Run all filters over old mail', 'runAllFilters', 'runAllOwnFilters'),
        description: `Runs ${own ? "the member's own filters" : "the organization's filters"} that are enabled, in their order. ${beginning}`,
        ...begins,
      },
    },
    (request, reply) => begin(request, request.body, reply),
  )

  app.post(
    at('/v1/filters/:id/runs'),
    {
      ...access('messages:write', 'Filters'),
      schema: {
        ...named('Run a filter over old mail', 'runFilter', 'runOwnFilter'),
        description: `Runs that filter alone, even if it is disabled. ${beginning}`,
        params: ById,
        ...begins,
      },
    },
    (request, reply) => begin(request, request.body, reply, pathId(request.params.id, 'filter')),
  )
}

function readRoutes(app: App, db: Db, { at, access, named, ownerIn }: OwnedRoutes): void {
  app.get(
    at('/v1/filter-runs'),
    {
      ...access('messages:read', 'Filter runs'),
      schema: {
        ...named('List runs of filters', 'listFilterRuns', 'listOwnFilterRuns'),
        description:
          'Lists runs, the newest first, for 30 days after their end. Those that go through mail which the caller may not read are not among them.',
        querystring: RunQuery,
        response: { 200: RunList },
      },
    },
    async (request) => {
      const { cursor, limit = defaultLimit } = request.query
      const owner = ownerIn(request)
      const list = [owner.organizationId, 'filter-runs', owner.memberId]
      const after = timedPlace(cursor, list)
      const runs = await runsOf(db, request.caller, owner, { after, most: limit + 1 })
      const { page, next_cursor } = paged(runs, { limit, list, placeOf: ({ at, id }) => [at, id] })
      return { data: page.map(presentItem), next_cursor }
    },
  )

  app.get(
    at('/v1/filter-runs/:id'),
    {
      ...access('messages:read', 'Filter runs'),
      schema: {
        ...named('Show a run of filters', 'getFilterRun', 'getOwnFilterRun'),
        description: 'Shows how far the run is, and its result.',
        params: ById,
        response: { 200: RunOut },
      },
    },
    async (request) => present(await found(db, request.caller, ownerIn(request), pathId(request.params.id, what))),
  )
}

function cancelRoute(app: App, db: Db, { at, access, named, ownerIn }: OwnedRoutes): void {
  app.post(
    at('/v1/filter-runs/:id/cancel'),
    {
      ...access('messages:write', 'Filter runs'),
      schema: {
        ...named('Cancel a run of filters', 'cancelFilterRun', 'cancelOwnFilterRun'),
        description:
          'Changes that it has made stay. The step in progress, of up to 1,000 messages, is finished and counted. A run that has ended ' +
          'stays as it is.',
        params: ById,
        response: { 200: CancelledRun },
      },
    },
    (request, reply) => {
      const { caller, scopes } = request
      const owner = ownerIn(request)
      return answerOnce(db, request, reply, async (tx) => {
        const { id } = await found(tx, caller, owner, pathId(request.params.id, what))
        await cancelRun(tx, caller, owner, id)
        const shown = readPart(present(await found(tx, caller, owner, id)), stateOfRun, scopes.has('messages:read'))
        return ok(shown, stateOfRun)
      })
    },
  )
}

/** @throws Refusal if there is no such run, or the caller may not read its mail */
async function found(db: Db, caller: Caller, owner: Owner, id: string): Promise<Run> {
  const run = await runById(db, caller, owner, id)
  if (!run) throw notFound(what)
  return run
}
