import type { Db, Tx } from '#/db/schema.ts'
import { invalid, Refusal } from '#/errors.ts'
import type { App } from '#/http/app-type.ts'
import { ok, once } from '#/http/once.ts'
import { Strict } from '#/http/wire.ts'
import { type Owner, organizationItself } from '#/organizations/owner.ts'
import { filtersOf } from './queries.ts'
import { settleArgument } from './store.ts'
import { tryFilters, withDraft } from './trial.ts'
import { sightingOf, Trial, TrialResult } from './trial-wire.ts'
import { newFilter } from './wire.ts'

/** Shows what filters would do, before mail comes. */
export function trialRoute(app: App, db: Db): void {
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
