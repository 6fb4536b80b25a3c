import { Type } from 'typebox'
import type { Db, Tx } from '#/db/schema.ts'
import { invalid, notFound, Refusal } from '#/errors.ts'
import type { App } from '#/http/app-type.ts'
import { created, ok, once } from '#/http/once.ts'
import { ById, Id, ListOf, pathId, Strict } from '#/http/wire.ts'
import { type Owner, organizationItself } from '#/organizations/owner.ts'
import { rulesChanged } from '#/organizations/rules-in-force.ts'
import { filterName, filterValue, mostFilters } from './filter.ts'
import { deleteFilter, filterById, filtersOf } from './queries.ts'
import { addFilter, changeFilter, settleArgument } from './store.ts'
import { tryFilters, withDraft } from './trial.ts'
import { sightingOf, Trial, TrialResult } from './trial-wire.ts'
import { FilterChange, FilterOut, NewFilter, newFilter, present } from './wire.ts'

/** The organization's rules for arriving mail, in the order in which they run. */
export function filterRoutes(app: App, { db }: { db: Db }): void {
  app.get(
    '/v1/filters',
    {
      config: { scope: 'filters:read', noun: 'Filters' },
      schema: {
        summary: 'List filters',
        description: "The organization's filters in the order in which they run. Members' own are not among them.",
        querystring: Strict({}),
        response: { 200: ListOf(FilterOut) },
      },
    },
    async ({ organizationId }) => ({ data: (await filtersOf(db, organizationItself(organizationId))).map(present) }),
  )

  app.post(
    '/v1/filters',
    {
      config: { scope: 'filters:write', noun: 'Filters' },
      schema: {
        summary: 'Create a filter',
        description:
          "Acts on mail that arrives from now on, in every mailbox of the organization, before members' own filters. " +
          `An organization has at most ${mostFilters.toLocaleString('en')} filters.`,
        querystring: Strict({}),
        body: NewFilter,
        response: { 201: FilterOut },
      },
    },
    async (request, reply) => {
      const fields = newFilter(request.body)
      await once(db, request, reply, async (tx) => {
        const filter = await addFilter(tx, organizationItself(request.organizationId), fields)
        return created(`/v1/filters/${filter.id}`, present(filter))
      })
      rulesChanged(db, request.organizationId)
      return reply
    },
  )

  app.get(
    '/v1/filters/:id',
    {
      config: { scope: 'filters:read', noun: 'Filters' },
      schema: { summary: 'Show a filter', params: ById, querystring: Strict({}), response: { 200: FilterOut } },
    },
    async ({ organizationId, params }) => {
      const filter = await filterById(db, organizationItself(organizationId), pathId(params.id, 'filter'))
      if (!filter) throw notFound('filter')
      return present(filter)
    },
  )

  app.patch(
    '/v1/filters/:id',
    {
      config: { scope: 'filters:write', noun: 'Filters' },
      schema: {
        summary: 'Change a filter',
        description:
          'Fields that are left out stay. The filter as it will be must have an argument for `move` and `label` and ' +
          'none for `star` and `read`; `"argument": null` clears it.',
        params: ById,
        querystring: Strict({}),
        body: FilterChange,
        response: { 200: FilterOut },
      },
    },
    async ({ organizationId, params, body }) => {
      const change = {
        ...body,
        ...(body.name !== undefined && { name: filterName(body.name) }),
        ...(body.value !== undefined && { value: filterValue(body.value) }),
      }
      const id = pathId(params.id, 'filter')
      const owner = organizationItself(organizationId)
      const filter = await db.transaction().execute((tx) => changeFilter(tx, owner, id, change))
      rulesChanged(db, organizationId)
      return present(filter)
    },
  )

  app.delete(
    '/v1/filters/:id',
    {
      config: { scope: 'filters:write', noun: 'Filters' },
      schema: {
        summary: 'Delete a filter',
        description: 'The positions of the others stay as they are.',
        params: ById,
        querystring: Strict({}),
        response: { 200: Type.Object({ deleted: Type.Literal(true), id: Id }) },
      },
    },
    async ({ organizationId, params }) => {
      const id = pathId(params.id, 'filter')
      if (!(await deleteFilter(db, organizationItself(organizationId), id))) throw notFound('filter')
      rulesChanged(db, organizationId)
      return { deleted: true as const, id }
    },
  )

  app.post(
    '/v1/filters/test',
    {
      config: { scope: 'filters:read', noun: 'Filters' },
      schema: {
        summary: 'Try filters on a message',
        description:
          "Tells which of the organization's filters, and of a draft that is not stored, match a message, on what " +
          'text, what each would do, and what the message would end as. Disabled filters that match are told too. ' +
          "Nothing is stored, nothing is delivered. A member's own filters would run after these and are not told.",
        querystring: Strict({}),
        body: Trial,
        response: { 200: TrialResult },
      },
    },
    (request, reply) => {
      const { message, filter: draft } = request.body
      const sighting = sightingOf(message)
      return once(db, request, reply, async (tx) => {
        const owner = organizationItself(request.organizationId)
        const settled = draft && (await settleDraft(tx, owner, draft))
        return ok(tryFilters(withDraft(await filtersOf(tx, owner), settled), sighting))
      })
    },
  )
}

/** A draft as it would be stored. What is wrong with it is said of where it stands in the body. */
async function settleDraft(tx: Tx, owner: Owner, draft: Parameters<typeof newFilter>[0]) {
  try {
    const fields = newFilter(draft)
    return { ...fields, argument: await settleArgument(tx, owner, fields) }
  } catch (error) {
    if (!(error instanceof Refusal) || error.field === undefined) throw error
    throw invalid(`filter.${error.field}`, error.message, error.fix)
  }
}
