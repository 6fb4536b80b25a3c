import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HeldPolicy } from '#/out/relay/mta-sts.ts'
import { databaseOfFile } from '#test/world/database/database.ts'
import { each } from '#test/world/each.ts'
import { forgetPolicies, keptPolicies } from './kept-policies.ts'

const now = Date.UTC(2026, 0, 1)
const database = await databaseOfFile()

const held = (id: string, until: number): HeldPolicy => ({ id, policy: { mode: 'enforce', mx: ['mx.a.test'] }, until })

test('a policy is found as it was kept last, and no other domain has it', async () => {
  const kept = keptPolicies(database.db)
  assert.equal(await kept.find('a.test'), undefined)
  await kept.keep('a.test', held('1', now))
  const next: HeldPolicy = { id: '2', policy: { mode: 'none', mx: [] }, until: now + 1_000 }
  await kept.keep('a.test', next)
  assert.deepEqual([await kept.find('a.test'), await kept.find('b.test')], [next, undefined])
})

test('those whose time is over are forgotten, and of too many those that end first', async () => {
  const kept = keptPolicies(database.db)
  for (const [nth, domain] of ['over.test', 'a.test', 'b.test', 'c.test'].entries())
    await kept.keep(domain, held('1', now + nth))
  await forgetPolicies(database.db, new Date(now), 2)
  const left = await database.db.selectFrom('mta_sts_policies').select('domain').orderBy('domain').execute()
  assert.deepEqual(each(left, 'domain'), ['b.test', 'c.test'])
})
