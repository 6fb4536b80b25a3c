import type { Tx } from '#/db/schema.ts'
import { invalid, notFound, Refusal } from '#/errors.ts'
import { lockOrganization } from '#/organizations/lock.ts'
import type { Owner } from '#/organizations/owner.ts'
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
export async function addLabel(tx: Tx, owner: Owner, fields: LabelFields): Promise<Label> {
  await lockOrganization(tx, owner.organizationId)
  const key = nameKey(fields.name)
  if (await labelByNameKey(tx, owner, key)) throw duplicate(fields.name)
  if ((await labelCount(tx, owner)) >= mostLabels) throw full()
  const keyword = (await recoverKeyword(tx, owner, key)) ?? (await freshKeyword(tx, owner, fields.name))
  return await insertLabel(tx, owner, { ...fields, keyword, nameKey: key })
}

export async function changeLabel(tx: Tx, owner: Owner, id: string, change: Partial<LabelFields>): Promise<Label> {
  await lockOrganization(tx, owner.organizationId)
  if (!(await labelById(tx, owner, id))) throw notFound('label')
  if (change.name === undefined) return found(await updateLabel(tx, owner, id, change))
  const key = nameKey(change.name)
  const namesake = await labelByNameKey(tx, owner, key)
  if (namesake && namesake.id !== id) throw duplicate(change.name)
  return found(await updateLabel(tx, owner, id, { ...change, name_key: key }))
}

/** Deletes the label and returns its keyword, which stays on messages, reserved for this name. */
export async function removeLabel(tx: Tx, owner: Owner, id: string): Promise<string> {
  await lockOrganization(tx, owner.organizationId)
  return found(await retireLabel(tx, owner, id))
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
