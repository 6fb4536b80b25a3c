// On both databases: connections of each isolation reach a cap at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { IsolationLevel } from 'kysely'
import type { Database } from '#/base/db/open.ts'
import { databaseOfFile } from '#test/world/database/database.ts'

const cap = 5
const attempts = 50
const database = await databaseOfFile()
const { db } = database
const plan = { name: 'five', domains: cap, mailboxes: 0, storage_bytes: 0, sends_per_day: 0 }
await db.insertInto('plans').values(plan).execute()

async function newOrganization(name: string): Promise<string> {
  const made = db.insertInto('organizations').values({ name, plan: 'five' }).returning('id')
  return (await made.executeTakeFirstOrThrow()).id
}

/** Tries until the database says yes or no: above read committed, a concurrent writer first makes it say "again". */
async function attempt(level: IsolationLevel, work: (tx: Database['db']) => Promise<unknown>): Promise<boolean> {
  for (;;)
    try {
      await db.transaction().setIsolationLevel(level).execute(work)
      return true
    } catch (error) {
      const { code } = error as { code?: string }
      if (code === 'PC402') return false
      if (code !== '40001') throw error
    }
}

for (const level of ['read committed', 'repeatable read', 'serializable'] as const)
  test(`${attempts} domains at once under a cap of ${cap} give exactly ${cap} at ${level}`, async () => {
    const organization_id = await newOrganization(`domains at ${level}`)
    const add = (n: number) => (tx: Database['db']) => {
      const domain = { organization_id, domain: `d${n}.test` }
      return tx.insertInto('domains').values(domain).execute()
    }
    const made = await Promise.all(Array.from({ length: attempts }, (_, n) => attempt(level, add(n))))
    assert.equal(made.filter(Boolean).length, cap)
    await assertCounted(organization_id)
  })

test('what is deleted makes room again', async () => {
  const organization_id = await newOrganization('room')
  const domains = Array.from({ length: cap }, (_, n) => ({ organization_id, domain: `r${n}.test` }))
  await db.insertInto('domains').values(domains).execute()
  const own = db.deleteFrom('domains').where('organization_id', '=', organization_id)
  await own.where('domain', '=', 'r0.test').execute()
  await db.insertInto('domains').values({ organization_id, domain: 'again.test' }).execute()
  await assertCounted(organization_id)
})

async function assertCounted(organization: string): Promise<void> {
  const rows = await db.selectFrom('domains').select('id').where('organization_id', '=', organization).execute()
  const usage = db.selectFrom('organization_usage').selectAll().where('organization_id', '=', organization)
  assert.deepEqual([rows.length, (await usage.executeTakeFirstOrThrow()).domains], [cap, cap])
}
