import type { Db } from '#/db/schema.ts'
import { notFound } from '#/errors.ts'
import type { App } from '#/http/app-type.ts'
import { answerOnce, created } from '#/http/idempotency.ts'
import { ById, Id, ListOf, pathId } from '#/http/shared-schemas.ts'
import { Type } from '#/http/type.ts'
import { organizationItself } from '#/organizations/owner.ts'
import { invalidateRules } from '#/organizations/rule-cache.ts'
import type { MailHost } from '#/ports/mail-host.ts'
import { addFilter, changeFilter, checkChangedMove, checkMove, removeFilter } from './changes.ts'
import { filterName, filterValue, mostFilters } from './filter.ts'
import { filterById, filtersOf } from './queries.ts'
import { FilterChange, FilterOut, NewFilter, newFilter, present } from './schemas.ts'
import { trialRoute } from './trial-route.ts'

const reading = { scope: 'filters:read', noun: 'Filters' } as const
const writing = { scope: 'filters:write', noun: 'Filters' } as const

interface FilterParts {
  readonly db: Db
  readonly mailHost: Pick<MailHost, 'checkFolder'>
}

/** The organization's rules for arriving mail, in the order in which they run. */
export function filterRoutes(app: App, { db, mailHost }: FilterParts): void {
  listRoute(app, db)
  createRoute(app, { db, mailHost })
  showRoute(app, db)
  changeRoutes(app, { db, mailHost })
  trialRoute(app, { db, mailHost })
}

function listRoute(app: App, db: Db): void {
  app.get(
    '/v1/filters',
    {
      config: reading,
      schema: {
        summary: 'List filters',
        description: "The organization's filters in the order in which they run. Members' own are not among them.",
        response: { 200: ListOf(FilterOut) },
      },
    },
    async ({ organizationId }) => ({ data: (await filtersOf(db, organizationItself(organizationId))).map(present) }),
  )
}

function createRoute(app: App, { db, mailHost }: FilterParts): void {
  app.post(
    '/v1/filters',
    {
      config: writing,
      schema: {
        summary: 'Create a filter',
        description:
          "Acts on mail that arrives from now on, in every mailbox of the organization, before members' own filters. " +
          `An organization has at most ${mostFilters.toLocaleString('en')} filters.`,
        body: NewFilter,
        response: { 201: FilterOut },
      },
    },
    async (request, reply) => {
      const fields = newFilter(request.body)
      await checkMove(mailHost, request.organizationId, fields)
      await answerOnce(db, request, reply, async (tx) => {
        const filter = await addFilter(tx, organizationItself(request.organizationId), fields, request.actor)
        return created(`/v1/filters/${filter.id}`, present(filter))
      })
      invalidateRules(db, request.organizationId)
      return reply
    },
  )
}

function showRoute(app: App, db: Db): void {
  app.get(
    '/v1/filters/:id',
    {
      config: reading,
      schema: { summary: 'Show a filter', params: ById, response: { 200: FilterOut } },
    },
    async ({ organizationId, params }) => {
      const filter = await filterById(db, organizationItself(organizationId), pathId(params.id, 'filter'))
      if (!filter) throw notFound('filter')
      return present(filter)
    },
  )
}

function changeRoutes(app: App, { db, mailHost }: FilterParts): void {
  app.patch(
    '/v1/filters/:id',
    {
      config: writing,
      schema: {
        summary: 'Change a filter',
        description:
          'Fields that are left out stay. The filter as it will be must have an argument for `move` and `label` and ' +
          'none for `star` and `read`; `"argument": null` clears it.',
        params: ById,
        body: FilterChange,
        response: { 200: FilterOut },
      },
    },
    async ({ organizationId, actor, params, body }) => {
      const change = {
        ...body,
        ...(body.name !== undefined && { name: filterName(body.name) }),
        ...(body.value !== undefined && { value: filterValue(body.value) }),
      }
      const id = pathId(params.id, 'filter')
      const owner = organizationItself(organizationId)
      await checkChangedMove(db, mailHost, owner, { id, change: body })
      const filter = await db.transaction().execute((tx) => changeFilter(tx, owner, id, change, actor))
      invalidateRules(db, organizationId)
      return present(filter)
    },
  )

  app.delete(
    '/v1/filters/:id',
    {
      config: writing,
      schema: {
        summary: 'Delete a filter',
        description: 'The positions of the others stay as they are.',
        params: ById,
        response: { 200: Type.Object({ deleted: Type.Literal(true), id: Id }) },
      },
    },
    async ({ organizationId, actor, params }) => {
      const id = pathId(params.id, 'filter')
      const owner = organizationItself(organizationId)
      await db.transaction().execute((tx) => removeFilter(tx, owner, id, actor))
      invalidateRules(db, organizationId)
      return { deleted: true as const, id }
    },
  )
}
