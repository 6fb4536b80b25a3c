import type { Db } from '#/base/db/schema.ts'
import { notFound } from '#/base/errors.ts'
import { invalidateRules } from '#/base/ownership/rule-cache.ts'
import type { OwnedRoutes } from '#/http/access/owned-routes.ts'
import { changeOnce } from '#/http/answers/claimed-key.ts'
import { answerOnce, created } from '#/http/answers/idempotency.ts'
import type { App } from '#/http/app-type.ts'
import { pagedWhole } from '#/http/schemas/cursor.ts'
import { ById, Id, ListOf, pathId, Strict, wholeOrPages } from '#/http/schemas/shared-schemas.ts'
import { Type } from '#/http/schemas/type.ts'
import { addFilter, changeFilter, removeFilter } from './changes.ts'
import { type Filter, filterName, filterValue, mostFilters } from './filter.ts'
import { filterById, filtersOf } from './queries.ts'
import { runRoutes } from './runs/routes.ts'
import { FilterChange, FilterOut, NewFilter, newFilter, present } from './schemas.ts'
import { trialRoute } from './trial-route.ts'

/** An owner's rules for arriving mail, in the order in which they run. */
export function filterRoutes(app: App, db: Db, of: OwnedRoutes): void {
  listRoute(app, db, of)
  createRoute(app, db, of)
  showRoute(app, db, of)
  changeRoute(app, db, of)
  deleteRoute(app, db, of)
  trialRoute(app, db, of)
  runRoutes(app, db, of)
}

function listRoute(app: App, db: Db, { own, at, access, named, ownerIn }: OwnedRoutes): void {
  app.get(
    at('/v1/filters'),
    {
      ...access('filters:read', 'Filters'),
      schema: {
        ...named('List filters', 'listFilters', 'listOwnFilters'),
        description: own
          ? "The member's own filters in the order in which they run, after those of the organization."
          : "The organization's filters in the order in which they run. Members' own are not among them.",
        querystring: Strict(wholeOrPages),
        response: { 200: ListOf(FilterOut) },
      },
    },
    async (request) => {
      const owner = ownerIn(request)
      const list = [owner.organizationId, 'filters', owner.memberId]
      const { page, next_cursor } = pagedWhole(await filtersOf(db, owner), request.query, { list, placeOf })
      return { data: page.map(present), next_cursor }
    },
  )
}

function placeOf({ position, created_at: at, id }: Filter): [number, number, string] {
  return [position, at.getTime(), id]
}

function createRoute(app: App, db: Db, { own, at, access, named, ownerIn }: OwnedRoutes): void {
  app.post(
    at('/v1/filters'),
    {
      ...access('filters:write', 'Filters'),
      schema: {
        ...named('Create a filter', 'createFilter', 'createOwnFilter'),
        description:
          `Acts on mail that arrives from now on, in ${own ? "the member's own mailbox, after the organization's filters" : "every mailbox of the organization, before members' own filters"}. ` +
          `${own ? 'A member' : 'An organization'} has at most ${mostFilters.toLocaleString('en')} filters.`,
        body: NewFilter,
        response: { 201: FilterOut },
      },
    },
    async (request, reply) => {
      const fields = newFilter(request.body)
      await answerOnce(db, request, reply, async (tx) => {
        const filter = await addFilter(tx, ownerIn(request), fields, request.actor)
        return created(`${at('/v1/filters')}/${filter.id}`, present(filter))
      })
      invalidateRules(db, request.organizationId)
    },
  )
}

function showRoute(app: App, db: Db, { at, access, named, ownerIn }: OwnedRoutes): void {
  app.get(
    at('/v1/filters/:id'),
    {
      ...access('filters:read', 'Filters'),
      schema: { ...named('Show a filter', 'getFilter', 'getOwnFilter'), params: ById, response: { 200: FilterOut } },
    },
    async (request) => {
      const filter = await filterById(db, ownerIn(request), pathId(request.params.id, 'filter'))
      if (!filter) throw notFound('filter')
      return present(filter)
    },
  )
}

function changeRoute(app: App, db: Db, { at, access, named, ownerIn }: OwnedRoutes): void {
  app.patch(
    at('/v1/filters/:id'),
    {
      ...access('filters:write', 'Filters'),
      schema: {
        ...named('Change a filter', 'updateFilter', 'updateOwnFilter'),
        description:
          'Fields that are left out stay. The filter as it will be must have an argument for `move` and `label` and ' +
          'none for `star` and `read`; `"argument": null` clears it.',
        params: ById,
        body: FilterChange,
        response: { 200: FilterOut },
      },
    },
    async (request) => {
      const { organizationId, actor, params, body } = request
      const change = {
        ...body,
        ...(body.name !== undefined && { name: filterName(body.name) }),
        ...(body.value !== undefined && { value: filterValue(body.value) }),
      }
      const id = pathId(params.id, 'filter')
      const owner = ownerIn(request)
      const answer = await changeOnce(db, request, async (tx) =>
        present(await changeFilter(tx, owner, id, change, actor)),
      )
      invalidateRules(db, organizationId)
      return answer
    },
  )
}

function deleteRoute(app: App, db: Db, { at, access, named, ownerIn }: OwnedRoutes): void {
  app.delete(
    at('/v1/filters/:id'),
    {
      ...access('filters:write', 'Filters'),
      schema: {
        ...named('Delete a filter', 'deleteFilter', 'deleteOwnFilter'),
        description: 'The positions of the other filters stay as they are.',
        params: ById,
        response: { 200: Type.Object({ deleted: Type.Literal(true), id: Id }) },
      },
    },
    async (request) => {
      const { organizationId, actor, params } = request
      const id = pathId(params.id, 'filter')
      const owner = ownerIn(request)
      const answer = await changeOnce(db, request, async (tx) => {
        await removeFilter(tx, owner, id, actor)
        return { deleted: true as const, id }
      })
      invalidateRules(db, organizationId)
      return answer
    },
  )
}
