import type { Actor } from '#/audit/actor.ts'
import { record } from '#/audit/record.ts'
import type { Db, Tx } from '#/db/schema.ts'
import { invalid, notFound, Refusal } from '#/errors.ts'
import { nameKey } from '#/labels/label.ts'
import { labelMeant } from '#/labels/queries.ts'
import { lockOrganization } from '#/organizations/lock.ts'
import { type Owner, settingsOfOwner } from '#/organizations/owner.ts'
import type { MailHost } from '#/ports/mail-host.ts'
import { assertArgumentFits, type Filter, type FilterFields, mostFilters } from './filter.ts'
import { folderArgument, ofArgument } from './folder-argument.ts'
import { deleteFilter, filterById, filterExtent, filterForUpdate, insertFilter, updateFilter } from './queries.ts'

/** Adds a filter, by default after all others. Name and value must have been checked. */
export async function addFilter(
  tx: Tx,
  owner: Owner,
  { position, ...fields }: FilterFields & { position?: number | undefined },
  by: Actor,
): Promise<Filter> {
  await lockOrganization(tx, owner.organizationId)
  const argument = await resolveArgument(tx, owner, fields)
  const { count, largest } = await filterExtent(tx, owner)
  if (count >= mostFilters) throw full()
  const filter = await insertFilter(tx, owner, { ...fields, argument, position: position ?? largest + 1 })
  await note(tx, owner, { action: 'filter.created', before: undefined, after: filter }, by)
  return filter
}

/** As `checkMove`, for a change of action or argument. */
export async function checkChangedMove(
  db: Db,
  mailHost: Pick<MailHost, 'checkFolder'>,
  owner: Owner,
  { id, change }: { id: string; change: Partial<Pick<FilterFields, 'action' | 'argument'>> },
): Promise<void> {
  if (change.action === undefined && change.argument === undefined) return
  const before = await filterById(db, owner, id)
  if (!before) return
  const { action, argument } = { ...before, ...change }
  if (action === before.action && argument === before.argument) return
  await checkMove(mailHost, owner.organizationId, { action, argument })
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
  await note(tx, owner, { action: 'filter.changed', before, after }, by)
  return after
}

/** The positions of the others stay as they are. */
export async function removeFilter(tx: Tx, owner: Owner, id: string, by: Actor): Promise<void> {
  const before = await deleteFilter(tx, owner, id)
  if (!before) throw notFound('filter')
  await note(tx, owner, { action: 'filter.deleted', before, after: undefined }, by)
}

type FilterAction = 'filter.created' | 'filter.changed' | 'filter.deleted'

async function note(
  tx: Tx,
  owner: Owner,
  { action, before, after }: { action: FilterAction; before: Filter | undefined; after: Filter | undefined },
  by: Actor,
): Promise<void> {
  const named = after ?? before
  if (!named) return
  const settings = (filter: Filter | undefined) => {
    if (!filter) return null
    const { name, field, op, value, action, argument, position, enabled } = filter
    return { ...settingsOfOwner(owner), name, field, op, value, action, argument, position, enabled }
  }
  const { id, name } = named
  const { organizationId } = owner
  await record(tx, by, { organizationId, action, id, name, before: settings(before), after: settings(after) })
}

/** Asks the mail host about the folder that a filter would move mail to. Apart from storing it, since a transaction must not
 *  wait for another server.
 *  @throws invalid where the host refuses it for good */
export async function checkMove(
  mailHost: Pick<MailHost, 'checkFolder'>,
  organizationId: string,
  { action, argument }: Pick<FilterFields, 'action' | 'argument'>,
): Promise<void> {
  if (action !== 'move' || argument === null) return
  const name = folderArgument(argument)
  await mailHost.checkFolder(organizationId, name).catch((error: unknown) => {
    throw ofArgument(error)
  })
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
