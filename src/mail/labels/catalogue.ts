import type { Actor } from '#/base/audit/actor.ts'
import type { Tx } from '#/base/db/schema.ts'
import { invalid, notFound, Refusal } from '#/base/errors.ts'
import { lockOwner } from '#/base/ownership/lock.ts'
import type { Owner } from '#/base/ownership/owner.ts'
import { recordOwned } from '#/base/ownership/record-owned.ts'
import { deriveKeyword, keywordFor } from './keyword.ts'
import { type Label, type LabelFields, mostLabels, type NewLabelFields, nameKey } from './label.ts'
import {
  forgetRetired,
  insertLabel,
  keywordsInUse,
  labelById,
  labelByNameKey,
  labelCount,
  orphansAmong,
  recoverKeyword,
  retireLabel,
  updateLabel,
} from './queries.ts'

/** Adds a label. Its keyword is that of a deleted label with this name, or a derived one. Fields must have been checked
 *  (`labelName`, `labelColour`). */
export async function addLabel(tx: Tx, owner: Owner, fields: NewLabelFields, by: Actor): Promise<Label> {
  await lockOwner(tx, owner)
  const key = nameKey(fields.name)
  const namesake = await labelByNameKey(tx, owner, key)
  if (namesake) throw duplicate(namesake)
  if ((await labelCount(tx, owner)) >= mostLabels) throw full()
  const keyword =
    fields.keyword === undefined
      ? ((await recoverKeyword(tx, owner, key)) ?? (await freshKeyword(tx, owner, fields.name)))
      : await adopt(tx, owner, fields.keyword.toLowerCase())
  const label = await insertLabel(tx, owner, { ...fields, keyword, nameKey: key })
  const { id, name } = label
  await recordOwned(tx, by, owner, { action: 'label.created', id, name, before: null, after: settingsOf(label) })
  return label
}

export async function changeLabel(
  tx: Tx,
  owner: Owner,
  id: string,
  change: Partial<LabelFields>,
  by: Actor,
): Promise<Label> {
  await lockOwner(tx, owner)
  const before = found(await labelById(tx, owner, id))
  const key = change.name === undefined ? undefined : nameKey(change.name)
  const namesake = key === undefined ? undefined : await labelByNameKey(tx, owner, key)
  if (namesake && namesake.id !== id) throw duplicate(namesake)
  const after = found(await updateLabel(tx, owner, id, { ...change, ...(key !== undefined && { name_key: key }) }))
  const [was, is] = [settingsOf(before), settingsOf(after)]
  await recordOwned(tx, by, owner, { action: 'label.changed', id, name: after.name, before: was, after: is })
  return after
}

/** Deletes the label and returns its keyword, which stays on messages, reserved for this name. */
export async function removeLabel(tx: Tx, owner: Owner, id: string, by: Actor): Promise<string> {
  await lockOwner(tx, owner)
  const before = found(await retireLabel(tx, owner, id))
  const { name } = before
  await recordOwned(tx, by, owner, { action: 'label.deleted', id, name, before: settingsOf(before), after: null })
  return before.keyword
}

function settingsOf({ name, keyword, colour }: Label) {
  return { name, keyword, colour }
}

/** Makes a label of a keyword that no label has. */
async function adopt(tx: Tx, owner: Owner, keyword: string): Promise<string> {
  if (!(await orphansAmong(tx, owner, [keyword])).has(keyword)) throw notOrphan(keyword)
  await forgetRetired(tx, owner, keyword)
  return keyword
}

export function notOrphan(keyword: string): Refusal {
  return invalid(
    'keyword',
    `${JSON.stringify(keyword)} is not a keyword on messages without a label`,
    'Take one from GET /v1/orphan-labels',
  )
}

async function freshKeyword(tx: Tx, owner: Owner, name: string): Promise<string> {
  return keywordFor(name, await keywordsInUse(tx, owner.organizationId, deriveKeyword(name)))
}

function found<T>(result: T | undefined): T {
  if (result === undefined) throw notFound('label')
  return result
}

function duplicate({ id, name, keyword }: Label): Refusal {
  return invalid(
    'name',
    `There is a label named "${name}" already; names may not differ in case alone`,
    `Use that label: its id is ${id}, its keyword ${keyword}`,
  )
}

function full(): Refusal {
  return new Refusal('invalid_request', `There can be at most ${mostLabels} labels`, {
    fix: 'Delete labels that are no longer used',
  })
}
