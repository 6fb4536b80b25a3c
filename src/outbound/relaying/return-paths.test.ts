import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { sql } from 'kysely'
import { byOperator } from '#/audit/actor.ts'
import { createOrganization } from '#/organizations/register.ts'
import { testDatabase } from '#test/world/database/database.ts'
import { forgetReturnPaths, keepReturnPath } from './return-paths.ts'

const day = 24 * 60 * 60_000
const now = new Date('2026-11-21T08:00:00Z')
const after = (days: number) => new Date(now.getTime() + days * day)

test('whom a sender stands for is kept for 21 days after it was last used', async () => {
  await using database = await testDatabase()
  const { db } = database
  const { id: organizationId } = await createOrganization(db, { name: randomUUID(), plan: 'team' }, byOperator)
  const { rows } = await sql<{ id: string }>`
    with domain as (
      insert into domains (organization_id, domain, status) values (${organizationId}, 'here.example', 'verified')
      returning id
    )
    insert into mailboxes (organization_id, domain_id, local_part, address)
    select ${organizationId}, id, 'ada', 'ada@here.example' from domain returning id`.execute(db)
  const mailboxId = rows[0]?.id ?? ''
  const keep = (id: string, at: Date) => keepReturnPath(db, { id, address: 'ann@there.example', mailboxId }, at)
  const left = async () =>
    (await db.selectFrom('return_paths').select('id').orderBy('id').execute()).map(({ id }) => id)
  await keep('once', now)
  await keep('twice', now)
  await keep('twice', after(1))
  await forgetReturnPaths(db, after(21))
  assert.deepEqual(await left(), ['once', 'twice'])
  await forgetReturnPaths(db, after(21.5))
  assert.deepEqual(await left(), ['twice'])
  await forgetReturnPaths(db, after(22.5))
  assert.deepEqual(await left(), [])
})
