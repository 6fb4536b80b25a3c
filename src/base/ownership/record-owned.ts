import type { Actor } from '#/base/audit/actor.ts'
import { type Change, record, type Settings } from '#/base/audit/record.ts'
import type { Tx } from '#/base/db/schema.ts'
import type { Owner } from './owner.ts'

/** Records a change of a label, filter or blocked sender (`record`), with its owner. */
export async function recordOwned(
  tx: Tx,
  by: Actor,
  { organizationId, memberId }: Owner,
  { before, after, ...item }: Omit<Change, 'organizationId'>,
): Promise<void> {
  const whose = memberId === null ? {} : { member_id: memberId }
  const owned = (settings: Settings | null) => settings && { ...whose, ...settings }
  const change = { ...item, organizationId, before: owned(before), after: owned(after), personal: memberId !== null }
  await record(tx, by, change)
}
