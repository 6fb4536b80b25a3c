// On both databases: connections of each isolation reach a cap at once.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { type IsolationLevel, sql } from 'kysely'
import { byOperator } from '#/base/audit/actor.ts'
import { createOrganization } from '#/people/organizations/register.ts'
import { databaseOfFile } from '#test/world/database/database.ts'
import { insertVerifiedDomain } from '#test/world/organization/verified-domain.ts'

const cap = 5
const attempts = 50
const levels = ['read committed', 'repeatable read', 'serializable'] as const

const database = await databaseOfFile()
const plan = { name: 'five', domains: 1, mailboxes: cap, storage_bytes: 0, sends_per_day: 0 }
await database.db.insertInto('plans').values(plan).execute()

interface EnrolledDomain {
  readonly organizationId: string
  readonly domainId: string
  readonly domain: string
}

async function place(): Promise<EnrolledDomain> {
  const name = `org-${randomUUID()}`
  const { id: organizationId } = await createOrganization(database.db, { name, plan: 'five' }, byOperator)
  await insertVerifiedDomain(database.db, organizationId, `${name}.test`)
  const { id: domainId } = await database.db
    .selectFrom('domains')
    .select('id')
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow()
  return { organizationId, domainId, domain: `${name}.test` }
}

for (const level of levels)
  test(`of ${attempts} plain inserts of mailboxes at once a cap of ${cap} lets in ${cap} at ${level}`, async () => {
    const at = await place()
    const made = await Promise.all(Array.from({ length: attempts }, (_, n) => plainInsert(level, at, n)))
    assert.equal(made.filter(Boolean).length, cap)
    await assertCounted(at, cap)
  })

test('a single statement that makes too many makes none, and neither does a transaction that does', async () => {
  const at = await place()
  const insert = `insert into mailboxes (organization_id, domain_id, local_part, address)
    select $1, $2, 'm' || n, 'm' || n || '@' || $3 from generate_series($4::integer, $5::integer) n`
  const values = [at.organizationId, at.domainId, at.domain]
  await assert.rejects(database.pool.query(insert, [...values, 1, cap + 1]), { code: 'PC402' })
  await assertCounted(at, 0)
  const client = await database.pool.connect()
  try {
    await client.query('begin')
    await client.query(insert, [...values, 1, cap])
    await assert.rejects(client.query(insert, [...values, cap + 1, cap + 1]), { code: 'PC402' })
    await client.query('rollback')
  } finally {
    client.release()
  }
  await assertCounted(at, 0)
  await database.pool.query(insert, [...values, 1, cap])
  await assertCounted(at, cap)
})

test('deleting makes room again, and a smaller plan refuses until enough is deleted', async () => {
  const at = await place()
  for (let n = 0; n < cap; n++) assert.ok(await plainInsert('read committed', at, n))
  const { db } = database
  await db.deleteFrom('mailboxes').where('address', '=', `m0@${at.domain}`).execute()
  assert.ok(await plainInsert('read committed', at, 10))
  await db.updateTable('organizations').set({ plan: 'free' }).where('id', '=', at.organizationId).execute()
  for (const gone of [1, 2]) {
    assert.equal(await plainInsert('read committed', at, 20 + gone), false)
    await db.deleteFrom('mailboxes').where('address', '=', `m${gone}@${at.domain}`).execute()
  }
  assert.equal(await plainInsert('read committed', at, 30), false, 'three are left, as many as the plan allows')
  await assertCounted(at, 3)
})

/** As a program does that knows nothing of ours but the table: it tries until the database says yes or no. Above read committed, a concurrent
 *  writer first makes it say "again". */
async function plainInsert(level: IsolationLevel, at: EnrolledDomain, number: number): Promise<boolean> {
  for (;;) {
    const client = await database.pool.connect()
    try {
      await client.query(`begin isolation level ${level}`)
      await client.query(
        'insert into mailboxes (organization_id, domain_id, local_part, address) values ($1, $2, $3, $4)',
        [at.organizationId, at.domainId, `m${number}`, `m${number}@${at.domain}`],
      )
      await client.query('commit')
      return true
    } catch (error) {
      await client.query('rollback')
      if (!isAgain(error)) return false
    } finally {
      client.release()
    }
  }
}

function isAgain(error: unknown): boolean {
  const { code } = error as { code?: string }
  if (code !== 'PC402' && code !== '40001') throw error
  return code === '40001'
}

async function assertCounted({ organizationId }: EnrolledDomain, expected: number): Promise<void> {
  const { rows } = await sql<{ made: number; counted: number }>`
    select (select count(*)::integer from mailboxes where organization_id = ${organizationId}) as made,
      mailboxes as counted from organization_usage where organization_id = ${organizationId}`.execute(database.db)
  assert.deepEqual(rows, [{ made: expected, counted: expected }])
}
