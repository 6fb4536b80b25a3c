import type { Actor } from '#/audit/actor.ts'
import { record } from '#/audit/record.ts'
import type { Tx } from '#/db/schema.ts'
import { invalid, notFound, Refusal } from '#/errors.ts'
import { lockOrganization } from '#/organizations/lock.ts'
import { type Owner, settingsOfOwner } from '#/organizations/owner.ts'
import { deriveKeyword, keywordFor } from './keyword.ts'
import { type Label, type LabelFields, mostLabels, nameKey } from './label.ts'
import {
  insertLabel,
  keywordsInUse,
  labelById,
  labelByNameKey,
  labelCount,
  recoverKeyword,
  retireLabel,
  updateLabel,
} from './queries.ts'

/** Adds a label. Its keyword is that of a deleted label with this name, or a derived one. Fields must have been checked
 *  (`labelName`, `labelColour`). */
export async function addLabel(tx: Tx, owner: Owner, fields: LabelFields, by: Actor): Promise<Label> {
  await lockOrganization(tx, owner.organizationId)
  const key = nameKey(fields.name)
  if (await labelByNameKey(tx, owner, key)) throw duplicate(fields.name)
  if ((await labelCount(tx, owner)) >= mostLabels) throw full()
  const keyword = (await recoverKeyword(tx, owner, key)) ?? (await freshKeyword(tx, owner, fields.name))
  const label = await insertLabel(tx, owner, { ...fields, keyword, nameKey: key })
  await note(tx, owner, { action: 'label.created', before: undefined, after: label }, by)
  return label
}

export async function changeLabel(
  tx: Tx,
  owner: Owner,
  id: string,
  change: Partial<LabelFields>,
  by: Actor,
): Promise<Label> {
  await lockOrganization(tx, owner.organizationId)
  const before = found(await labelById(tx, owner, id))
  const key = change.name === undefined ? undefined : nameKey(change.name)
  const namesake = key === undefined ? undefined : await labelByNameKey(tx, owner, key)
  if (namesake && namesake.id !== id) throw duplicate(change.name ?? '')
  const after = found(await updateLabel(tx, owner, id, { ...change, ...(key !== undefined && { name_key: key }) }))
  await note(tx, owner, { action: 'label.changed', before, after }, by)
  return after
}

/** Deletes the label and returns its keyword, which stays on messages, reserved for this name. */
export async function removeLabel(tx: Tx, owner: Owner, id: string, by: Actor): Promise<string> {
  await lockOrganization(tx, owner.organizationId)
  const before = found(await retireLabel(tx, owner, id))
  await note(tx, owner, { action: 'label.deleted', before, after: undefined }, by)
  return before.keyword
}

type LabelAction = 'label.created' | 'label.changed' | 'label.deleted'

async function note(
  tx: Tx,
  owner: Owner,
  { action, before, after }: { action: LabelAction; before: Label | undefined; after: Label | undefined },
  by: Actor,
): Promise<void> {
  const { id, name } = found(after ?? before)
  const settings = (label: Label | undefined) =>
    label ? { ...settingsOfOwner(owner), name: label.name, keyword: label.keyword, colour: label.colour } : null
  const { organizationId } = owner
  await record(tx, by, { organizationId, action, id, name, before: settings(before), after: settings(after) })
}

async function freshKeyword(tx: Tx, owner: Owner, name: string): Promise<string> {
  return keywordFor(name, await keywordsInUse(tx, owner.organizationId, deriveKeyword(name)))
}

function found<T>(result: T | undefined): T {
  if (result === undefined) throw notFound('label')
  return result
}

function duplicate(name: string): Refusal {
  return invalid('name', `There is a label named "${name}" already; names may not differ in case alone`)
}

function full(): Refusal {
  return new Refusal('invalid_request', `There can be at most ${mostLabels} labels`, {
    fix: 'Delete labels that are no longer used',
  })
}
