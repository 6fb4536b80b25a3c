import { sql } from 'kysely'
import type { Actor } from '#/base/audit/actor.ts'
import type { Tx } from '#/base/db/schema.ts'
import { invalid, notFound } from '#/base/errors.ts'
import { lockOwner } from '#/base/ownership/lock.ts'
import { organizationItself } from '#/base/ownership/owner.ts'
import type { Caller } from '#/http/access/caller.ts'
import { removeLabel } from '#/mail/labels/catalogue.ts'
import { beginEverywhere } from '#/mail/labels/everywhere.ts'
import { type Label, nameKey } from '#/mail/labels/label.ts'
import { labelById, labelMeant } from '#/mail/labels/queries.ts'
import { changeFilter } from './changes.ts'

export interface Merged {
  readonly label: Label
  /** How many filters of the organization, or the caller's own, set the other label now. */
  readonly filters: number
  /** The change of messages; null if the caller may change no mailbox. */
  readonly changeId: string | null
}

/** Merges a label of the organization into another: filters that set it, members' own included, set the other one, messages
 *  with it get the other one, and it is deleted. */
export async function mergeLabels(
  tx: Tx,
  caller: Caller,
  { id, into }: { readonly id: string; readonly into: string },
  by: Actor,
): Promise<Merged> {
  const owner = organizationItself(caller.organizationId)
  await lockOwner(tx, owner)
  const [from, label] = [
    await labelById(tx, owner, id),
    await labelMeant(tx, owner, { as: into, nameKey: nameKey(into) }),
  ]
  if (!from) throw notFound('label')
  if (!label) throw invalid('into', 'There is no such label')
  if (label.id === from.id) throw invalid('into', 'A label cannot be merged into itself')
  const filters = await filtersSetting(tx, caller.organizationId, from.keyword)
  for (const { id, member_id: memberId } of filters) {
    await changeFilter(tx, { ...owner, memberId }, id, { argument: label.keyword }, by)
  }
  await removeLabel(tx, owner, id, by)
  const changeId = await beginEverywhere(tx, caller, by, from.keyword, label.keyword)
  const seen = filters.filter(({ member_id }) => member_id === null || member_id === caller.memberId)
  return { label, filters: seen.length, changeId }
}

async function filtersSetting(tx: Tx, organizationId: string, keyword: string) {
  const { rows } = await sql<{ id: string; member_id: string | null }>`
    select id, member_id from filters
    where organization_id = ${organizationId} and action = 'label' and argument = ${keyword} order by id`.execute(tx)
  return rows
}
