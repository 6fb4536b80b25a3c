import type { Actor } from '#/base/audit/actor.ts'
import type { Db, Tx } from '#/base/db/schema.ts'
import { invalid, notFound, Refusal } from '#/base/errors.ts'
import { lockOwner } from '#/base/ownership/lock.ts'
import type { Owner } from '#/base/ownership/owner.ts'
import { recordOwned } from '#/base/ownership/record-owned.ts'
import { nameKey } from '#/mail/labels/label.ts'
import { labelMeant } from '#/mail/labels/queries.ts'
import { assertArgumentFits, type Filter, type FilterFields, mostFilters } from './filter.ts'
import { folderArgument } from './folder-argument.ts'
import { deleteFilter, filterExtent, filterForUpdate, insertFilter, updateFilter } from './queries.ts'

/** Adds a filter, by default after all others. Name and value must have been checked. */
export async function addFilter(
  tx: Tx,
  owner: Owner,
  { position, ...fields }: FilterFields & { position?: number | undefined },
  by: Actor,
): Promise<Filter> {
  await lockOwner(tx, owner)
  const argument = await resolveArgument(tx, owner, fields)
  const { count, largest } = await filterExtent(tx, owner)
  if (count >= mostFilters) throw full()
  const filter = await insertFilter(tx, owner, { ...fields, argument, position: position ?? largest + 1 })
  const { id, name } = filter
  await recordOwned(tx, by, owner, { action: 'filter.created', id, name, before: null, after: settingsOf(filter) })
  return filter
}

/** Changes a filter. The resulting filter must be valid, but a deleted label does not prevent changing other fields. */
export async function changeFilter(
  tx: Tx,
  owner: Owner,
  id: string,
  change: Partial<FilterFields & { position: number }>,
  by: Actor,
): Promise<Filter> {
  const before = await filterForUpdate(tx, owner, id)
  if (!before) throw notFound('filter')
  const { name, field, op, value, action, argument, enabled, position } = { ...before, ...change }
  const settled =
    action === before.action && argument === before.argument
      ? argument
      : await resolveArgument(tx, owner, { action, argument })
  const fields = { name, field, op, value, action, argument: settled, enabled, position }
  const after = await updateFilter(tx, owner, id, fields)
  const [was, is] = [settingsOf(before), settingsOf(after)]
  await recordOwned(tx, by, owner, { action: 'filter.changed', id, name, before: was, after: is })
  return after
}

/** The positions of the others stay as they are. */
export async function removeFilter(tx: Tx, owner: Owner, id: string, by: Actor): Promise<void> {
  const before = await deleteFilter(tx, owner, id)
  if (!before) throw notFound('filter')
  const { name } = before
  await recordOwned(tx, by, owner, { action: 'filter.deleted', id, name, before: settingsOf(before), after: null })
}

function settingsOf({ name, field, op, value, action, argument, position, enabled }: Filter) {
  return { name, field, op, value, action, argument, position, enabled }
}

/** The argument in its stored form: the keyword of a label, or the name of a folder. */
export async function resolveArgument(
  db: Db,
  owner: Owner,
  filter: Pick<FilterFields, 'action' | 'argument'>,
): Promise<string | null> {
  assertArgumentFits(filter)
  if (filter.argument === null) return null
  return filter.action === 'move' ? folderArgument(filter.argument) : await labelKeyword(db, owner, filter.argument)
}

async function labelKeyword(db: Db, owner: Owner, argument: string): Promise<string> {
  const label = await labelMeant(db, owner, { as: argument, nameKey: nameKey(argument) })
  if (!label) throw invalid('argument', `There is no label "${argument}"`, 'Give the keyword of a label that exists')
  return label.keyword
}

function full(): Refusal {
  return new Refusal('invalid_request', `There can be at most ${mostFilters} filters`, {
    fix: 'Delete filters that are no longer used',
  })
}
