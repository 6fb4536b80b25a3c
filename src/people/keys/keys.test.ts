// On both databases: requests reach a cap at once.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { sql } from 'kysely'
import { byOperator } from '#/base/audit/actor.ts'
import { ManualClock } from '#/base/clock/manual.ts'
import { createOrganization } from '#/people/organizations/register.ts'
import { databaseOfFile } from '#test/world/database/database.ts'
import { countingStatements } from '#test/world/observe/counting-statements.ts'
import { generateKey, hashKey, isWellFormedKey } from './api-key.ts'
import { Authenticator } from './authenticate.ts'
import { mostLiveKeys } from './key.ts'
import { createKey, revokeKey } from './keys.ts'
import { keysOf } from './queries.ts'
import { unrestricted } from './restrictions.ts'

const now = Date.UTC(2026, 10, 21, 7, 44)
const client = { address: '192.0.2.1', guessing: false }
const guessing = { ...client, guessing: true }
const fields = { name: 'CI', scopes: ['labels:read'], expiresAt: null } as const

const database = await databaseOfFile()

async function newOrganization(): Promise<string> {
  return (await createOrganization(database.db, { name: randomUUID(), plan: 'free' }, byOperator)).id
}

test('a new key is answered once; stored are its hash and what to recognise it by', async () => {
  const organizationId = await newOrganization()
  const { key, secret } = await createKey(database.db, organizationId, fields, now, byOperator)
  assert.ok(isWellFormedKey(secret))
  assert.equal(secret.slice(0, 8), key.prefix)
  assert.equal(secret.slice(-4), key.last_four)
  const [listed, ...more] = await keysOf(database.db, organizationId)
  assert.deepEqual([listed, more], [{ ...key, at: listed?.at }, []])
  const row = await database.db.selectFrom('api_keys').selectAll().where('id', '=', key.id).executeTakeFirstOrThrow()
  assert.deepEqual(row.hash, hashKey(secret))
  assert.ok(!JSON.stringify(row).includes(secret.slice(8, -4)))
})

test('a revoked key opens nothing, and revoking it again changes nothing and says so', async () => {
  const organizationId = await newOrganization()
  const { key, secret } = await createKey(database.db, organizationId, fields, now, byOperator)
  const first = await revokeKey(database.db, key.id.toUpperCase(), now, byOperator)
  const second = await revokeKey(database.db, key.id, now + 60_000, byOperator)
  assert.deepEqual([first.already, second.already], [false, true])
  assert.deepEqual(second.key, { ...key, revoked_at: new Date(now) })
  await using authenticator = new Authenticator(database.db, new ManualClock(new Date(now)))
  assert.equal(await authenticator.identify(secret, client), undefined)
})

test('a key that another process has revoked is refused once what was looked up is four seconds old', async (t) => {
  const { key, secret } = await createKey(database.db, await newOrganization(), fields, now, byOperator)
  await using authenticator = new Authenticator(database.db, new ManualClock(new Date(now)))
  const clock = t.mock.method(performance, 'now', () => 0)
  assert.ok(await authenticator.identify(secret, client))
  await revokeKey(database.db, key.id, now, byOperator)
  for (const passed of [3_999, 4_000]) {
    clock.mock.mockImplementation(() => passed)
    assert.equal((await authenticator.identify(secret, client)) !== undefined, passed < 4_000)
  }
})

test('keys from where many are guessed are looked for together, and one that opened something before is not among them', async () => {
  const { secret } = await createKey(database.db, await newOrganization(), fields, now, byOperator)
  const { db, count } = countingStatements(database.db, 'api_keys')
  await using authenticator = new Authenticator(db, new ManualClock(new Date(now)), { every: 1 })
  const guesses = [...Array.from({ length: 50 }, generateKey), secret, 'mrk_mistyped']
  const found = await Promise.all(guesses.map((token) => authenticator.identify(token, guessing)))
  const opened = guesses.filter((_, at) => found[at] !== undefined)
  assert.deepEqual(opened, [secret])
  assert.equal(count(), 2, 'one for the first, and one for all who came meanwhile')
  assert.ok(await authenticator.identify(secret, guessing))
  assert.equal(count(), 3)
})

test('outside its networks a key is one of those that are guessed, and its last use is not recorded', async () => {
  const restrictions = { ...unrestricted, networks: ['192.0.2.0/24'] }
  const { key, secret } = await createKey(
    database.db,
    await newOrganization(),
    { ...fields, restrictions },
    now,
    byOperator,
  )
  const { db, count } = countingStatements(database.db, 'api_keys')
  await using authenticator = new Authenticator(db, new ManualClock(new Date(now)), { every: 1 })
  const from = (address: string, guessing = false) => authenticator.identify(secret, { address, guessing })
  const lastUse = async () => {
    await authenticator.writeLastUsed()
    const used = database.db.selectFrom('api_keys').select('last_used_at').where('id', '=', key.id)
    return (await used.executeTakeFirstOrThrow()).last_used_at
  }
  assert.deepEqual([await from('198.51.100.1'), await lastUse()], [undefined, null])
  assert.ok(await from('::ffff:192.0.2.7'))
  assert.notEqual(await lastUse(), null)
  const before = count()
  assert.ok(await from('192.0.2.8', true), 'opens at once, though the client has guessed')
  assert.equal(count(), before)
  assert.equal(await from('198.51.100.1', true), undefined)
  assert.equal(count(), before + 1, 'waits for a lookup as a guessed one does')
})

for (const id of [randomUUID(), 'mrk_x', ''])
  test(`revoking "${id}" is refused, since no key has that id`, () =>
    assert.rejects(revokeKey(database.db, id, now, byOperator), { code: 'not_found' }))

test(`of an organization's keys at most ${mostLiveKeys} are live, however many are made at once`, async () => {
  const organizationId = await newOrganization()
  await sql`
    insert into api_keys (organization_id, hash, prefix, last_four, scopes, expires_at, revoked_at)
    select ${organizationId}, sha256(convert_to(${organizationId} || n, 'UTF8')), 'mrk_aaaa', 'aaaa', '{}',
      case when n > ${mostLiveKeys - 3} and n % 2 = 0 then ${new Date(now)}::timestamptz end,
      case when n > ${mostLiveKeys - 3} and n % 2 = 1 then ${new Date(now)}::timestamptz end
    from generate_series(1, ${mostLiveKeys + 5}) as n`.execute(database.db)
  const made = await Promise.allSettled(
    Array.from({ length: 8 }, () => createKey(database.db, organizationId, fields, now, byOperator)),
  )
  const refused = made.filter(({ status }) => status === 'rejected')
  assert.equal(refused.length, 5)
  for (const one of refused) assert.match(String((one as PromiseRejectedResult).reason), /at most 1000 live keys/)
})
