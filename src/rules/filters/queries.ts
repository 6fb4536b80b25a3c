import { sql } from 'kysely'
import type { Db, Tx } from '#/base/db/schema.ts'
import { clockTime } from '#/base/db/time.ts'
import { type Owner, ownedBy } from '#/base/ownership/owner.ts'
import type { Filter, FilterFields } from './filter.ts'

/** A label filter has no effect unless its owner or the organization has a label with that keyword. */
const broken = sql<'label_deleted' | null>`
  case when filters.action = 'label' and not exists (
    select from labels
    where labels.organization_id = filters.organization_id
      and labels.keyword = filters.argument
      and (labels.member_id is null or labels.member_id = filters.member_id)
  ) then 'label_deleted' end`.as('broken')

const columns = [
  'id',
  'name',
  'field',
  'op',
  'value',
  'action',
  'argument',
  'position',
  'enabled',
  broken,
  'created_at',
  'updated_at',
] as const

/** In the order in which they run. */
export function filtersOf(db: Db, owner: Owner): Promise<Filter[]> {
  return db
    .selectFrom('filters')
    .select(columns)
    .where(ownedBy('filters', owner))
    .orderBy('position')
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** The enabled filters of the organization, then those of the member, each in the order in which they run. */
export function enabledFilters(
  db: Db,
  { organizationId, memberId }: Owner,
): Promise<(Filter & { readonly personal: boolean })[]> {
  return db
    .selectFrom('filters')
    .select(columns)
    .select(({ eb }) => eb('member_id', 'is not', null).$castTo<boolean>().as('personal'))
    .where('organization_id', '=', organizationId)
    .where(({ or, eb }) => or([eb('member_id', 'is', null), eb('member_id', '=', memberId)]))
    .where('enabled', '=', true)
    .orderBy('personal')
    .orderBy('position')
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

export function filterById(db: Db, owner: Owner, id: string): Promise<Filter | undefined> {
  return byId(db, owner, id).executeTakeFirst()
}

/** Locks the filter: each change is checked against the result of the previous one. */
export function filterForUpdate(tx: Tx, owner: Owner, id: string): Promise<Filter | undefined> {
  return byId(tx, owner, id).forUpdate().executeTakeFirst()
}

function byId(db: Db, owner: Owner, id: string) {
  return db.selectFrom('filters').select(columns).where(ownedBy('filters', owner)).where('id', '=', id)
}

/** The number of the owner's filters, and the largest position, 0 if there is none. */
export function filterExtent(tx: Tx, owner: Owner): Promise<{ count: number; largest: number }> {
  return tx
    .selectFrom('filters')
    .select(({ fn, lit }) => [fn.countAll<number>().as('count'), fn.coalesce(fn.max('position'), lit(0)).as('largest')])
    .where(ownedBy('filters', owner))
    .executeTakeFirstOrThrow()
}

export function insertFilter(
  tx: Tx,
  { organizationId, memberId }: Owner,
  fields: FilterFields & { position: number },
): Promise<Filter> {
  // Not the transaction's start: writers are serialized, and equal positions run in the order of writing.
  return tx
    .insertInto('filters')
    .values({
      organization_id: organizationId,
      member_id: memberId,
      ...fields,
      created_at: clockTime,
      updated_at: clockTime,
    })
    .returning(columns)
    .executeTakeFirstOrThrow()
}

export function updateFilter(
  tx: Tx,
  owner: Owner,
  id: string,
  fields: FilterFields & { position: number },
): Promise<Filter> {
  return tx
    .updateTable('filters')
    .set({ ...fields, updated_at: clockTime })
    .where(ownedBy('filters', owner))
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirstOrThrow()
}

/** Returns the deleted one, if it existed. */
export function deleteFilter(tx: Tx, owner: Owner, id: string): Promise<Filter | undefined> {
  return tx
    .deleteFrom('filters')
    .where(ownedBy('filters', owner))
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirst()
}
