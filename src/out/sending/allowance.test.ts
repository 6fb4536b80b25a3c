import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { byOperator } from '#/base/audit/actor.ts'
import { createOrganization } from '#/people/organizations/register.ts'
import { databaseOfFile } from '#test/world/database/database.ts'
import { claimAllowance } from './allowance.ts'

const database = await databaseOfFile()

const organization = async () =>
  (await createOrganization(database.db, { name: randomUUID(), plan: 'free' }, byOperator)).id
const claimed = async (id: string) => {
  const rows = await database.db.selectFrom('sends').select('recipients').where('organization_id', '=', id).execute()
  return rows.map(({ recipients }) => recipients)
}

test('as many recipients are claimed in a day as the plan allows, to the last one, and not one more', async () => {
  const [one, other] = [await organization(), await organization()]
  const message = /^Daily sending allowance reached: the plan allows 100 recipients a day/
  const full = { code: 'quota_exceeded', message }
  // In a transaction it stays the same day.
  await database.db.transaction().execute(async (tx) => {
    await assert.rejects(claimAllowance(tx, one, 101), full)
    for (const recipients of [60, 39]) await claimAllowance(tx, one, recipients)
    await assert.rejects(claimAllowance(tx, one, 2), full)
    await claimAllowance(tx, one, 1)
    await assert.rejects(claimAllowance(tx, one, 1), full)
    await claimAllowance(tx, other, 100)
  })
  assert.deepEqual([await claimed(one), await claimed(other)], [[100], [100]])
})

test('what was claimed on another day is not counted', async () => {
  const id = await organization()
  const claimAll = () => database.db.transaction().execute((tx) => claimAllowance(tx, id, 100))
  await claimAll()
  await database.db.updateTable('sends').set({ day: '2000-01-01' }).where('organization_id', '=', id).execute()
  await claimAll()
  assert.deepEqual(await claimed(id), [100, 100])
})
