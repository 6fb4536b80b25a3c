// On both databases: two processes take one code at once.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { entriesOf } from '#/base/audit/queries.ts'
import { password, sessionIn, tryPassword, withPassword } from '#test/world/members/passwords.ts'
import { signIn } from '#test/world/members/signed-in.ts'
import { applicationOf, setUpTotp } from '#test/world/members/totp.ts'
import type { Answer } from '#test/world/sockets/http-client.ts'
import { World } from '#test/world/world.ts'

const env = { MAILROOM_TRUSTED_PROXIES: 'loopback' }
const world = await World.ofFile({ env })
const other = await World.ofFile({ env, database: world.database })

const halfMinute = 30_000
const both = (milliseconds: number) => Promise.all([world.advance(milliseconds), other.advance(milliseconds)])
const outcome = ({ status, body }: Answer) => [status, body.error?.needs]
const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status).sort()

/** A member with a password and a second factor, half a minute after they have set it up. */
async function withTotp() {
  const organization = await world.organization()
  const email = `${randomUUID()}@people.example`
  const session = await withPassword(organization, email)
  const totp = await setUpTotp(session, world.clock.now())
  await both(halfMinute)
  return { organization, email, session, ...totp, code: () => totp.code(world.clock.now()) }
}

test('who has a second factor signs in with password and code; the code alone opens nothing', async () => {
  const { email, session, code, organization } = await withTotp()
  assert.deepEqual(outcome(await tryPassword(world, { email })), [401, 'code'])
  const wrong = code() === '000000' ? '000001' : '000000'
  assert.deepEqual(outcome(await tryPassword(world, { email, code: wrong })), [401, 'code'])
  const body = { email, password: 'another one altogether', code: code() }
  assert.deepEqual(outcome(await tryPassword(world, body)), [401, undefined])
  const answer = await tryPassword(world, { email, code: code() })
  assert.deepEqual([answer.status, answer.body.has_totp], [201, true])
  assert.equal((await session.request('GET', '/v1/me')).body.has_totp, true)
  const [entry] = await entriesOf(world.db, organization.id, { action: 'member.totp_enabled' }, 10)
  assert.partialDeepStrictEqual(entry, { actor: { kind: 'member', id: session.id }, item: { name: email } })
})

test('a code is used once, in all processes together, and no earlier one after it', async () => {
  const { email, code } = await withTotp()
  const early = code()
  await both(halfMinute)
  const now = code()
  const answers = await Promise.all(
    [world, other, world, other].map((at, n) => tryPassword(at, { email, code: now }, `192.0.2.${n}`)),
  )
  assert.deepEqual(statuses(answers), [201, 401, 401, 401])
  for (const used of [now, early])
    assert.deepEqual(outcome(await tryPassword(other, { email, code: used }, '192.0.2.9')), [401, 'code'])
  await both(halfMinute)
  assert.equal((await tryPassword(other, { email, code: code() })).status, 201)
})

test('the code that has put it in effect signs nobody in', async () => {
  const organization = await world.organization()
  const email = `${randomUUID()}@people.example`
  const { code } = await setUpTotp(await withPassword(organization, email), world.clock.now())
  const answer = await tryPassword(world, { email, code: code(world.clock.now()) })
  assert.deepEqual(outcome(answer), [401, 'code'])
})

test('a recovery code stands in for a code, once, also when it is used several times together', async () => {
  const { email, recoveryCodes } = await withTotp()
  const [one = '', two = ''] = recoveryCodes
  const answers = await Promise.all(
    [world, other, world].map((at, n) => tryPassword(at, { email, code: one }, `192.0.2.${10 + n}`)),
  )
  assert.deepEqual(statuses(answers), [201, 401, 401])
  const typed = ` ${two.toUpperCase().replaceAll('-', ' ')}`
  assert.equal((await tryPassword(other, { email, code: typed })).status, 201)
  const { rows } = await world.database.pool.query('select hash::text from member_recovery_codes')
  assert.ok(!JSON.stringify(rows).includes(two.replaceAll('-', '')))
})

test('a secret has no effect before a code of it, and the newest is the one that counts', async () => {
  const organization = await world.organization()
  const email = `${randomUUID()}@people.example`
  const session = await withPassword(organization, email)
  const first = applicationOf((await session.request('POST', '/v1/me/totp')).body.uri)
  const begun = await session.request('POST', '/v1/me/totp')
  const second = applicationOf(begun.body.uri)
  assert.equal(new URL(begun.body.uri).searchParams.get('secret'), begun.body.secret)
  assert.equal((await tryPassword(world, { email })).status, 201)
  const confirm = (code: string) => session.request('POST', '/v1/me/totp/confirm', { code })
  const now = world.clock.now()
  for (const code of [first(now), second(now + 3 * halfMinute), 'abc', '']) {
    const { status, body } = await confirm(code)
    assert.deepEqual([status, body.error?.field], [400, 'code'], code)
  }
  assert.equal((await session.request('GET', '/v1/me')).body.has_totp, false)
  const { body } = await confirm(second(now))
  assert.equal(body.recovery_codes.length, 10)
  for (const refused of [await confirm(second(now)), await session.request('POST', '/v1/me/totp')])
    assert.equal(refused.status, 400)
})

test('to confirm who one is takes the code too, and what changes the second factor needs that', async () => {
  const { email, session, code, organization } = await withTotp()
  await both(20 * halfMinute)
  const remove = () => session.request('DELETE', '/v1/me/totp')
  assert.deepEqual(outcome(await remove()), [403, 'confirmation'])
  assert.deepEqual(outcome(await session.request('POST', '/v1/me/totp')), [403, 'confirmation'])
  const confirm = (body: object) => session.request('POST', '/v1/session/confirm', body)
  assert.deepEqual(outcome(await confirm({ password })), [401, 'code'])
  assert.deepEqual(outcome(await remove()), [403, 'confirmation'])
  assert.equal((await confirm({ password, code: code() })).status, 200)
  assert.deepEqual((await remove()).body, { has_totp: false })
  assert.equal((await remove()).status, 404)
  assert.equal((await tryPassword(world, { email })).status, 201)
  const [entry] = await entriesOf(world.db, organization.id, { action: 'member.totp_disabled' }, 10)
  assert.partialDeepStrictEqual(entry, { actor: { kind: 'member', id: session.id }, item: { name: email } })
  const kept = await world.db.selectFrom('member_recovery_codes').where('member_id', '=', session.id).execute()
  assert.deepEqual(kept, [])
})

test('a sign-in link needs no code: it is the way back for who has lost phone and recovery codes', async () => {
  const { organization, session } = await withTotp()
  const again = await signIn(organization, session.id)
  assert.deepEqual((await again.request('DELETE', '/v1/me/totp')).body, { has_totp: false })
})

test('ten wrong codes an hour are looked at, and then none, right or wrong', async () => {
  const { email, code } = await withTotp()
  const wrong = Array.from({ length: 13 }, (_, n) => `${n}`.padStart(6, '0')).filter((one) => one !== code())
  const answers = await Promise.all(
    wrong.slice(0, 12).map((one, n) => tryPassword(n % 2 ? world : other, { email, code: one }, '192.0.2.77')),
  )
  assert.deepEqual(statuses(answers), [...Array(10).fill(401), 429, 429])
  assert.equal((await tryPassword(world, { email, code: code() }, '192.0.2.77')).status, 429)
  assert.equal(sessionIn(await tryPassword(world, { email, code: code() }, '198.51.100.77'), world).id.length, 36)
})

test('a second factor is that of one member alone', async () => {
  const [ada, bob] = [await withTotp(), await withTotp()]
  assert.deepEqual(outcome(await tryPassword(world, { email: bob.email, code: ada.code() })), [401, 'code'])
  const [recovery = ''] = ada.recoveryCodes
  assert.deepEqual(outcome(await tryPassword(world, { email: bob.email, code: recovery })), [401, 'code'])
})
