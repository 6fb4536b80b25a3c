import type { Db, Tx } from '#/base/db/schema.ts'
import { invalid, Refusal } from '#/base/errors.ts'
import { type Owner, organizationItself } from '#/base/ownership/owner.ts'
import type { OwnedRoutes } from '#/http/access/owned-routes.ts'
import { answerOnce, ok } from '#/http/answers/idempotency.ts'
import type { App } from '#/http/app-type.ts'
import { resolveArgument } from './changes.ts'
import { filtersOf } from './queries.ts'
import { newFilter } from './schemas.ts'
import { tryFilters, withDraft } from './trial.ts'
import { Trial, TrialResult, trialInput } from './trial-schemas.ts'

/** Shows what filters would do, before mail comes. */
export function trialRoute(app: App, db: Db, { own, at, access, named, ownerIn }: OwnedRoutes): void {
  app.post(
    at('/v1/filters/test'),
    {
      ...access('filters:read', 'Filters'),
      schema: {
        ...named('Try filters on a message', 'testFilters', 'testOwnFilters'),
        description:
          `Lists which of the organization's filters, ${own ? "then of the member's own " : ''}and of a draft that is not stored, match a message, the matched ` +
          'text, what each would do, and the resulting state of the message. Disabled filters that match are listed too. ' +
          `Nothing is stored, nothing is delivered.${own ? '' : " A member's own filters would run after these and are not listed."}`,
        body: Trial,
        response: { 200: TrialResult },
      },
    },
    async (request, reply) => {
      const { message, filter: draft } = request.body
      const input = trialInput(message)
      return answerOnce(db, request, reply, async (tx) => {
        const owner = ownerIn(request)
        const settled = draft && (await settleDraft(tx, owner, draft))
        const before = own ? await filtersOf(tx, organizationItself(owner.organizationId)) : []
        return ok(
          tryFilters([...withDraft(before, undefined), ...withDraft(await filtersOf(tx, owner), settled)], input),
        )
      })
    },
  )
}

/** A draft as it would be stored. */
async function settleDraft(tx: Tx, owner: Owner, draft: Parameters<typeof newFilter>[0]) {
  const fields = await inDraft(Promise.try(() => newFilter(draft)))
  return { ...fields, argument: await inDraft(resolveArgument(tx, owner, fields)) }
}

/** Errors of the draft filter name its place in the body. */
async function inDraft<T>(checked: Promise<T>): Promise<T> {
  try {
    return await checked
  } catch (error) {
    if (!(error instanceof Refusal) || error.field === undefined) throw error
    throw invalid(`filter.${error.field}`, error.message, error.fix)
  }
}
