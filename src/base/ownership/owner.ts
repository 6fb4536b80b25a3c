import { type RawBuilder, sql } from 'kysely'

/** The owner of a label, filter or blocked sender: the organization (no member) or one member. Requests with a key act as
 *  the organization, so members' own items do not exist for them (docs/reference/members.md). */
export interface Owner {
  readonly organizationId: string
  readonly memberId: string | null
}

export function organizationItself(organizationId: string): Owner {
  return { organizationId, memberId: null }
}

/** The condition that this owner may use and see a label, living or deleted: it is theirs or the organization's. */
export function usableBy(table: 'labels' | 'retired_keywords', owner: Owner): RawBuilder<boolean> {
  const { organizationId, memberId } = owner
  if (memberId === null) return ownedBy(table, owner)
  return sql<boolean>`(${ownedBy(table, owner)} or ${ownedBy(table, organizationItself(organizationId))})`
}

/** The condition that a row of the table is this owner's. */
export function ownedBy(
  table: 'labels' | 'retired_keywords' | 'filters' | 'filter_runs' | 'blocked_senders',
  { organizationId, memberId }: Owner,
): RawBuilder<boolean> {
  const [organization, member] = [sql.ref(`${table}.organization_id`), sql.ref(`${table}.member_id`)]
  return memberId === null
    ? sql<boolean>`(${organization} = ${organizationId} and ${member} is null)`
    : sql<boolean>`(${organization} = ${organizationId} and ${member} = ${memberId})`
}
