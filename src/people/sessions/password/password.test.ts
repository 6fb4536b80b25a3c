// On both databases: what one process ends another knows.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { entriesOf } from '#/base/audit/queries.ts'
import { password, sessionIn, tryPassword, withPassword } from '#test/world/members/passwords.ts'
import { linkFor, SignedInMember, signIn } from '#test/world/members/signed-in.ts'
import type { Answer } from '#test/world/sockets/http-client.ts'
import { World } from '#test/world/world.ts'

const env = { MAILROOM_TRUSTED_PROXIES: 'loopback' }
const world = await World.ofFile({ env })
const other = await World.ofFile({ env, database: world.database })
const without = await World.ofFile({ database: world.database, env: { MAILROOM_PASSWORDS: 'off' } })

const minute = 60_000
const someone = () => `${randomUUID()}@people.example`

/** Of an error what does not differ from request to request. */
function comparable({ status, body }: Answer): unknown {
  const { request_id: _, ...error } = body.error
  return { status, ...error }
}

async function hasEnded(session: SignedInMember): Promise<void> {
  for (const { clock } of [world, other]) clock.advance(5_000)
  assert.equal((await session.request('GET', '/v1/me')).status, 401)
}

test('a member sets a password and signs in with it, in any case of the address', async () => {
  const organization = await world.organization()
  const email = someone()
  const { id } = await organization.member(email)
  const first = await signIn(organization, id)
  assert.equal((await first.request('GET', '/v1/me')).body.has_password, false)
  assert.deepEqual((await first.request('PUT', '/v1/me/password', { password })).body, { has_password: true })
  const answer = await tryPassword(world, { email: email.toUpperCase() })
  const session = sessionIn(answer, world)
  assert.deepEqual([answer.body.id, answer.body.has_password], [id, true])
  assert.equal((await session.request('GET', '/v1/me')).status, 200)
  const [entry] = await entriesOf(world.db, organization.id, { action: 'member.password_changed' }, 10)
  assert.partialDeepStrictEqual(entry, { actor: { kind: 'member', id }, item: { id, name: email } })
  const mine = world.db.selectFrom('member_passwords').select('hash').where('member_id', '=', id)
  assert.match((await mine.executeTakeFirstOrThrow()).hash, /^\$argon2id\$/)
})

test('no word of an answer tells whether an address is a member’s', async () => {
  const organization = await world.organization()
  const [set, unset] = [someone(), someone()]
  await withPassword(organization, set)
  await organization.member(unset)
  const answers = []
  for (const email of [set, unset, someone(), 'nothing like an address', ''])
    answers.push(comparable(await tryPassword(world, { email, password: 'another one altogether' }, '192.0.2.1')))
  for (const answer of answers) assert.deepEqual(answer, answers[0])
  assert.equal((answers[0] as { status: number }).status, 401)
})

test('who has a password in several organizations names one; else it is the one joined first', async () => {
  const [one, two] = [await world.organization(), await world.organization()]
  const email = someone()
  const first = await withPassword(one, email)
  const second = await withPassword(two, email, { secret: 'another one altogether' })
  const body = { email, password: 'another one altogether' }
  assert.equal((await tryPassword(world, { email })).body.id, first.id)
  assert.equal((await tryPassword(world, body)).status, 401)
  for (const organization of [two.name.toUpperCase(), two.id])
    assert.equal((await tryPassword(world, { ...body, organization })).body.id, second.id)
  assert.equal((await tryPassword(world, { ...body, organization: 'none' })).status, 401)
})

for (const [what, body, field] of [
  ['both ways', { link: 'x', email: 'a@b.example', password }, 'link'],
  ['a link and an organization', { link: 'x', organization: 'tryout' }, 'link'],
  ['an address alone', { email: 'a@b.example' }, 'password'],
  ['a password alone', { password }, 'email'],
  ['an organization alone', { organization: 'tryout' }, 'link'],
] as const)
  test(`a sign-in with ${what} is refused, and names ${field}`, async () => {
    const { status, body: answer } = await world.client.request('POST', '/v1/session', { body })
    assert.deepEqual([status, answer.error.field], [400, field])
  })

test('a password that is short, long, monotonous or soon guessed is refused, and nothing changes', async () => {
  const organization = await world.organization()
  const session = await withPassword(organization, 'ada.lovelace@people.example')
  const long = ['x'.repeat(257), 'a\nb'.repeat(9)]
  for (const bad of ['short', 'aaaaaaaaaaaa', 'password1234', 'ada.lovelace1', 'qwertyuiop12', ...long]) {
    const { status, body } = await session.request('PUT', '/v1/me/password', { password: bad })
    assert.deepEqual([status, body.error?.field], [400, 'password'], bad)
  }
  const body = { email: 'ada.lovelace@people.example', organization: organization.id }
  assert.equal((await tryPassword(world, body)).status, 201)
})

test('another password ends the other sessions in every process, and the sign-in link', async () => {
  const organization = await world.organization()
  const email = someone()
  const session = await withPassword(organization, email)
  const others = [
    sessionIn(await tryPassword(world, { email }), world),
    sessionIn(await tryPassword(other, { email }), other),
    await signIn(organization, session.id, other),
  ]
  for (const one of others) assert.equal((await one.request('GET', '/v1/me')).status, 200)
  const link = await linkFor(organization, session.id)
  const changed = { password: 'another one altogether' }
  assert.equal((await session.request('PUT', '/v1/me/password', changed)).status, 200)
  await Promise.all(others.map(hasEnded))
  assert.equal((await session.request('GET', '/v1/me')).status, 200)
  assert.equal((await world.client.request('POST', '/v1/session', { body: { link } })).status, 401)
  assert.equal((await tryPassword(other, { email })).status, 401)
  assert.equal((await tryPassword(other, { email, ...changed })).status, 201)
})

test('no session that an old password opens outlives its change, however close', async () => {
  const organization = await world.organization()
  const email = someone()
  const session = await withPassword(organization, email)
  let secret = password
  for (let round = 0; round < 3; round++) {
    const next = `another one altogether ${round}`
    const [changed, ...answers] = await Promise.all([
      session.request('PUT', '/v1/me/password', { password: next }),
      ...[world, other, world].map((at) => tryPassword(at, { email, password: secret })),
    ])
    assert.equal(changed.status, 200)
    for (const [at, answer] of answers.entries()) {
      assert.ok([201, 401].includes(answer.status), answer.bytes.toString())
      if (answer.status === 201) await hasEnded(sessionIn(answer, at === 1 ? other : world))
    }
    secret = next
  }
})

test('what is dangerous needs a member to have confirmed in the last ten minutes who they are', async () => {
  const organization = await world.organization()
  const email = someone()
  const session = await withPassword(organization, email)
  const elsewhere = sessionIn(await tryPassword(other, { email }), other)
  const set = (by: SignedInMember) => by.request('PUT', '/v1/me/password', { password })
  const both = (milliseconds: number) => Promise.all([world.advance(milliseconds), other.advance(milliseconds)])
  await both(10 * minute - 1_000)
  assert.equal((await set(elsewhere)).status, 200)
  await both(1_000)
  const refused = await set(elsewhere)
  const { code, needs } = refused.body.error
  assert.deepEqual([refused.status, code, needs], [403, 'forbidden', 'confirmation'])
  assert.equal((await elsewhere.request('GET', '/v1/me')).status, 200)
  const wrong = await elsewhere.request('POST', '/v1/session/confirm', { password: 'another one altogether' })
  assert.deepEqual([wrong.status, wrong.body.error.field], [400, 'password'])
  assert.equal((await set(elsewhere)).status, 403)
  const right = await elsewhere.request('POST', '/v1/session/confirm', { password })
  assert.equal(right.body.confirmed_until, new Date(other.clock.now() + 10 * minute).toISOString())
  // The other process knows at once.
  const there = await new SignedInMember(elsewhere.id, elsewhere.cookie, world.client)
  assert.equal((await set(there)).status, 200)
  await hasEnded(session)
})

test('who has a link alone is confirmed by it, and by no password', async () => {
  const organization = await world.organization()
  const { id } = await organization.member(someone())
  const session = await signIn(organization, id)
  await world.advance(10 * minute)
  assert.equal((await session.request('PUT', '/v1/me/password', { password })).body.error.needs, 'confirmation')
  const confirmed = await session.request('POST', '/v1/session/confirm', { password })
  assert.deepEqual([confirmed.status, confirmed.body.error.field], [400, 'password'])
  const again = await signIn(organization, id)
  assert.equal((await again.request('PUT', '/v1/me/password', { password })).status, 200)
})

test('everybody can learn whether one can sign in with a password', async () => {
  const ways = async ({ client }: World) => (await client.request('GET', '/v1/session/ways')).body.password
  assert.deepEqual([await ways(world), await ways(without)], [true, false])
})

test('where passwords are off, a right one opens nothing, and the answer is that to a wrong one', async () => {
  const organization = await world.organization()
  await withPassword(organization, 'ada@people.example')
  for (const tried of [password, 'another one altogether']) {
    const { status, body } = await tryPassword(without, { email: 'ada@people.example', password: tried })
    assert.deepEqual([status, body.error.message], [403, 'Members have no passwords here'])
  }
})

test('where passwords are off, none is set, none confirms, and no second factor is added; a link still signs in', async () => {
  const organization = await world.organization()
  const { id } = await organization.member('ada@people.example')
  const session = await signIn(organization, id, without)
  for (const [method, path, body] of [
    ['PUT', '/v1/me/password', { password }],
    ['POST', '/v1/session/confirm', { password }],
    ['POST', '/v1/me/totp', undefined],
    ['POST', '/v1/me/totp/confirm', { code: '123456' }],
  ] as const) {
    const answer = await session.request(method, path, body)
    assert.deepEqual([answer.status, answer.body.error.code], [403, 'forbidden'], `${method} ${path}`)
  }
  assert.equal((await session.request('GET', '/v1/me')).body.has_password, false)
})
