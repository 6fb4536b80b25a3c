// On both databases: two processes count guesses together.
import assert from 'node:assert/strict'
import { argon2Sync } from 'node:crypto'
import { test } from 'node:test'
import { sql } from 'kysely'
import { password, tryPassword, withPassword } from '#test/world/members/passwords.ts'
import { World } from '#test/world/world.ts'

const env = { MAILROOM_TRUSTED_PROXIES: 'loopback' }
const world = await World.ofFile({ env })
const other = await World.ofFile({ env, database: world.database })

/** A member whose password has a hash that takes no time: how often it is looked at stays the same. */
async function withQuickPassword(email: string) {
  const session = await withPassword(await world.organization(), email)
  const nonce = Buffer.alloc(16, 'salt')
  const octets = argon2Sync('argon2id', {
    message: password,
    nonce,
    parallelism: 1,
    tagLength: 32,
    memory: 8,
    passes: 1,
  })
  const [salt, digest] = [nonce, octets].map((some) => some.toString('base64').replaceAll('=', ''))
  const hash = `$argon2id$v=19$m=8,t=1,p=1$${salt}$${digest}`
  await world.db.updateTable('member_passwords').set({ hash }).where('member_id', '=', session.id).execute()
  return session
}

/** How many answers there were of each status. */
function counted(answers: readonly { status: number }[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

const later = () => sql`update login_failures set failed_at = failed_at - interval '61 minutes'`.execute(world.db)

test('of three hundred wrong passwords from one address ten are looked at, over all processes', async () => {
  const email = 'ada@people.example'
  const session = await withQuickPassword(email)
  const answers = []
  for (let round = 0; round < 3; round++) {
    // Else there would be too many requests of strangers.
    await Promise.all([world.advance(60_000), other.advance(60_000)])
    const guesses = Array.from({ length: 100 }, (_, n) => ({ email, password: `guess ${round} ${n}` }))
    answers.push(
      ...(await Promise.all(guesses.map((guess, n) => tryPassword(n % 2 ? world : other, guess, '192.0.2.1')))),
    )
  }
  assert.deepEqual(counted(answers), { 401: 10, 429: 290 })
  const refused = await tryPassword(world, { email }, '192.0.2.1')
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '3600'])
  assert.equal((await tryPassword(world, { email }, '198.51.100.1')).status, 201, 'others are not affected')
  // A session is confirmed under the same count.
  const confirm = (from: string) =>
    session.request('POST', '/v1/session/confirm', { password }, { headers: { 'x-forwarded-for': from } })
  assert.equal((await confirm('192.0.2.1')).status, 429)
  assert.equal((await confirm('198.51.100.1')).status, 200)
  await later()
  assert.equal((await tryPassword(world, { email }, '192.0.2.1')).status, 201)
})

test('of three hundred wrong passwords from many addresses each has one, once fifty were wrong', async () => {
  const email = 'grace@people.example'
  await withQuickPassword(email)
  assert.equal((await tryPassword(world, { email }, '203.0.113.1')).status, 201)
  const answers = []
  for (let round = 0; round < 25; round++) {
    const from = `192.0.2.${100 + round}`
    const guesses = Array.from({ length: 12 }, (_, n) => ({ email, password: `guess ${round} ${n}` }))
    answers.push(...(await Promise.all(guesses.map((guess) => tryPassword(world, guess, from)))))
  }
  assert.deepEqual(counted(answers), { 401: 50 + 20, 429: 300 - 70 })
  assert.equal((await tryPassword(world, { email }, '192.0.2.200')).status, 201, 'who comes for the first time')
  for (let n = 0; n < 9; n++) {
    const wrong = await tryPassword(world, { email, password: `mistake ${n}` }, '203.0.113.1')
    assert.equal(wrong.status, 401)
  }
  assert.equal((await tryPassword(world, { email }, '203.0.113.1')).status, 201, 'who signed in from there before')
})

test('guesses at an address that nobody has are slowed in the same way', async () => {
  const guesses = Array.from({ length: 12 }, (_, n) => ({ email: 'nobody@people.example', password: `guess ${n}` }))
  const answers = await Promise.all(guesses.map((guess) => tryPassword(world, guess, '192.0.2.250')))
  assert.deepEqual(counted(answers), { 401: 10, 429: 2 })
})
