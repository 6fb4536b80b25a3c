// On both databases: two processes take one challenge at once.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { entriesOf } from '#/base/audit/queries.ts'
import { forgetSessions } from '#/people/sessions/queries.ts'
import { each } from '#test/world/each.ts'
import {
  Authenticator,
  addPasskey,
  type Deviation,
  passkeyOrigin,
  tryPasskey,
} from '#test/world/members/authenticator.ts'
import { password, sessionIn, withPassword } from '#test/world/members/passwords.ts'
import { type SignedInMember, signIn } from '#test/world/members/signed-in.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import type { Answer } from '#test/world/sockets/http-client.ts'
import { World } from '#test/world/world.ts'

const env = { MAILROOM_PUBLIC_URL: passkeyOrigin }
const world = await World.ofFile({ env })
const other = await World.ofFile({ env, database: world.database })

const minute = 60_000
const both = (milliseconds: number) => Promise.all([world.advance(milliseconds), other.advance(milliseconds)])
const outcome = ({ status, body }: Answer) => [status, body.error?.field ?? body.error?.code]
const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status).sort()

/** A member who has come by a link, and has a passkey. */
async function withPasskey({ counts = true } = {}) {
  const organization = await world.organization()
  const email = `${randomUUID()}@people.example`
  const { id } = await organization.member(email)
  const session = await signIn(organization, id)
  const authenticator = new Authenticator({ counts })
  const added = await addPasskey(session, authenticator)
  assert.equal(added.status, 201, added.bytes.toString())
  return { organization, email, session, authenticator, passkey: added.body.id as string }
}

async function list(session: SignedInMember) {
  return (await session.request('GET', '/v1/me/passkeys')).body.data
}

function audit({ id }: TestOrganization, action: string) {
  return entriesOf(world.db, id, { action }, 10)
}

test('a member adds a passkey, and signs in with it alone: no address, no password, no code', async () => {
  const { organization, session, authenticator, email } = await withPasskey()
  const answer = await tryPasskey(other, authenticator)
  const again = sessionIn(answer, other)
  assert.partialDeepStrictEqual(answer.body, { id: session.id, has_passkey: true, has_password: false })
  assert.equal((await again.request('GET', '/v1/me')).body.email, email)
  const [passkey] = await list(again)
  const [created_at, last_used_at] = [world, other].map(({ clock }) => new Date(clock.now()).toISOString())
  assert.partialDeepStrictEqual(passkey, { name: 'Laptop', created_at, last_used_at })
  const [added] = await audit(organization, 'member.passkey_added')
  assert.partialDeepStrictEqual(added, { actor: { kind: 'member', name: email }, after: { passkey: 'Laptop' } })
  const [signedIn] = await audit(organization, 'member.signed_in')
  assert.partialDeepStrictEqual(signedIn, { actor: { id: session.id }, after: { way: 'passkey' } })
  // It was a proof of who they are, for what is dangerous.
  assert.equal((await addPasskey(again, new Authenticator())).status, 201)
})

test('where browsers have no passkeys, the sign-in says so and gives no challenge', async () => {
  const ways = async ({ client }: World) => (await client.request('GET', '/v1/session/ways')).body.passkey
  await using plain = await World.start({ database: world.database })
  assert.deepEqual([await ways(world), await ways(plain)], [true, false])
  const refused = await plain.client.request('POST', '/v1/session/challenge')
  assert.equal(refused.status, 400)
  assert.match(refused.body.error.message, /TLS.*name.*localhost/)
})

test('the browser gets the requirements of the passkey', async () => {
  const { session, authenticator, email, organization } = await withPasskey()
  const { options } = (await session.request('POST', '/v1/me/passkeys/challenge')).body
  const excludeCredentials = authenticator.made.map(({ id }) => {
    return { id: id.toString('base64url'), transports: ['internal'] }
  })
  assert.partialDeepStrictEqual(options, {
    ...{ rp: { id: 'mail.example.com' }, user: { name: email, displayName: `${email} (${organization.name})` } },
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    ...{ excludeCredentials, attestation: 'none' },
  })
  const asked = (await world.client.request('POST', '/v1/session/challenge')).body.options
  assert.partialDeepStrictEqual(asked, { rpId: 'mail.example.com', userVerification: 'required' })
  assert.deepEqual(asked.allowCredentials, [])
})

const foreign: readonly (readonly [string, Deviation])[] = [
  ['for another origin', { origin: 'https://mail.example.com.evil.example' }],
  ['for another port', { origin: 'https://mail.example.com:8443' }],
  ['for another name', { rpId: 'evil.example' }],
  ['in a frame of another site', { crossOrigin: true }],
  ['a challenge that was never given', { challenge: Buffer.alloc(32, 1).toString('base64url') }],
  ['no challenge', { challenge: '' }],
  ['of another type', { type: 'payment.get' }],
  ['without its user present', { flags: 0x44 }],
  ['without its user verified', { flags: 0x41 }],
]

for (const [what, deviation] of foreign)
  test(`what an authenticator says ${what} adds nothing and opens nothing`, async () => {
    const { session, authenticator } = await withPasskey()
    const flags = deviation.flags
    assert.deepEqual(outcome(await addPasskey(session, new Authenticator(), deviation)), [400, 'credential'])
    const assertion = flags === undefined ? deviation : { flags: flags & 0x0f }
    assert.deepEqual(outcome(await tryPasskey(world, authenticator, assertion)), [401, 'unauthorized'])
    assert.equal((await list(session)).length, 1)
    assert.equal((await tryPasskey(world, authenticator)).status, 201)
  })

test('a signature of another key, of other octets or for another member opens nothing', async () => {
  const [{ authenticator: one }, { authenticator: two }] = [await withPasskey(), await withPasskey()]
  const begun = async () => (await world.client.request('POST', '/v1/session/challenge')).body.options
  const open = (passkey: object) => world.client.request('POST', '/v1/session', { body: { passkey } })
  const [mine, theirs] = [one.get(await begun()), two.get(await begun())]
  const { signature } = theirs.response
  const { userHandle: _, ...nobody } = one.get(await begun()).response
  const changed = async (response: object) => {
    const whole = one.get(await begun())
    return { ...whole, response: { ...whole.response, ...response } }
  }
  for (const passkey of [
    { ...mine, response: { ...mine.response, signature } },
    { ...one.get(await begun()), id: theirs.id },
    one.get(await begun(), { userHandle: two.made[0]?.userHandle }),
    { ...one.get(await begun()), response: nobody },
    await changed({ signature: 'AAAA' }),
    await changed({ authenticatorData: 'AAAA' }),
    await changed({ clientDataJSON: 'bm90' }),
    { ...one.get(await begun()), id: 'AAAA' },
  ])
    assert.deepEqual(outcome(await open(passkey)), [401, 'unauthorized'])
  assert.equal((await tryPasskey(world, one)).status, 201)
})

test('a challenge works once, for its purpose, in its session, for five minutes', async () => {
  const { session, authenticator, organization } = await withPasskey({ counts: false })
  const open = (passkey: object, at = world) => at.client.request('POST', '/v1/session', { body: { passkey } })
  const signInChallenge = async () => (await world.client.request('POST', '/v1/session/challenge')).body.options
  const confirmation = async () => (await session.request('POST', '/v1/session/confirm/challenge')).body.options
  const confirm = (by: SignedInMember, passkey: object) => by.request('POST', '/v1/session/confirm', { passkey })

  const once = authenticator.get(await signInChallenge())
  const answers = await Promise.all([world, other, world, other].map((at) => open(once, at)))
  assert.deepEqual(statuses(answers), [201, 401, 401, 401])

  assert.equal((await open(authenticator.get(await confirmation()))).status, 401)
  assert.deepEqual(outcome(await confirm(session, authenticator.get(await signInChallenge()))), [400, 'passkey'])
  const elsewhere = await signIn(organization, session.id)
  assert.deepEqual(outcome(await confirm(elsewhere, authenticator.get(await confirmation()))), [400, 'passkey'])
  assert.equal((await confirm(session, authenticator.get(await confirmation()))).status, 200)

  const creation = (await session.request('POST', '/v1/me/passkeys/challenge')).body.options
  const credential = new Authenticator().create(creation)
  const add = (by: SignedInMember, body: object) => by.request('POST', '/v1/me/passkeys', { name: 'Phone', ...body })
  assert.deepEqual(outcome(await add(elsewhere, { credential })), [400, 'credential'])
  assert.equal((await add(session, { credential })).status, 201)
  assert.deepEqual(outcome(await add(session, { credential })), [400, 'credential'])

  const late = authenticator.get(await signInChallenge())
  await both(5 * minute)
  assert.equal((await open(late)).status, 401)
  await signInChallenge()
  await forgetSessions(world.db, new Date(world.clock.now()))
  const { rows } = await world.database.pool.query('select from passkey_challenges')
  assert.equal(rows.length, 1, 'that of this time')
})

test('a copied passkey is refused once its counter does not grow, and the audit trail says so', async () => {
  const { organization, email, authenticator, session } = await withPasskey()
  for (let uses = 0; uses < 3; uses++) assert.equal((await tryPasskey(world, authenticator)).status, 201)
  for (const counter of [3, 1, 0])
    assert.deepEqual(outcome(await tryPasskey(other, authenticator, { counter })), [401, 'unauthorized'])
  const [entry] = await audit(organization, 'member.passkey_copied')
  assert.partialDeepStrictEqual(entry, { item: { id: session.id, name: email }, after: { passkey: 'Laptop' } })
  const answers = await Promise.all([world, other, world].map((at) => tryPasskey(at, authenticator, { counter: 9 })))
  assert.deepEqual(statuses(answers), [201, 401, 401])
})

test('a passkey that is kept on several devices counts nothing, and works', async () => {
  const { authenticator } = await withPasskey({ counts: false })
  for (let uses = 0; uses < 3; uses++) assert.equal((await tryPasskey(world, authenticator)).status, 201)
})

test('a member has several, each with a name; one that is removed opens nothing, and ends the other sessions', async () => {
  const { organization, session, authenticator, passkey } = await withPasskey()
  await both(minute)
  const second = new Authenticator()
  const { id } = (await addPasskey(session, second, { name: ' Phone ' })).body
  assert.deepEqual(each(await list(session), 'name'), ['Laptop', 'Phone'])
  const rename = (name: string) => session.request('PATCH', `/v1/me/passkeys/${id}`, { name })
  assert.equal((await rename('Old phone')).body.name, 'Old phone')
  for (const name of ['', ' ', 'x'.repeat(65), 'a\nb']) assert.deepEqual(outcome(await rename(name)), [400, 'name'])
  const stolen = sessionIn(await tryPasskey(world, second), world)
  const removed = await session.request('DELETE', `/v1/me/passkeys/${id}`)
  assert.deepEqual(removed.body, { deleted: true, id })
  assert.equal((await tryPasskey(world, second)).status, 401)
  assert.equal((await tryPasskey(world, authenticator)).status, 201)
  const { rows } = await world.database.pool.query('select from member_sessions where member_id = $1', [session.id])
  assert.equal(rows.length, 2, 'this one, and the one that was opened just now')
  assert.notEqual(stolen.cookie, session.cookie)
  assert.equal((await session.request('DELETE', `/v1/me/passkeys/${id}`)).status, 404)
  const trail = (await audit(organization, 'member')).filter(({ action }) => /passkey_re/.test(action))
  assert.deepEqual(each(trail, 'before', 'after'), [
    [{ passkey: 'Old phone' }, null],
    [{ passkey: 'Phone' }, { passkey: 'Old phone' }],
  ])
  assert.equal((await list(session))[0].id, passkey)
})

test('the only way in stays: the last passkey of who has no password, however it is removed', async () => {
  const { session, passkey } = await withPasskey()
  const remove = (id: string) => session.request('DELETE', `/v1/me/passkeys/${id}`)
  assert.deepEqual(outcome(await remove(passkey)), [400, 'id'])
  const { id } = (await addPasskey(session, new Authenticator())).body
  assert.deepEqual(statuses(await Promise.all([remove(passkey), remove(id)])), [200, 400])
  assert.equal((await list(session)).length, 1)
  assert.equal((await session.request('PUT', '/v1/me/password', { password })).status, 200)
  const [last] = await list(session)
  assert.equal((await remove(last.id)).status, 200)
  assert.equal((await session.request('GET', '/v1/me')).body.has_passkey, false)
})

test('where passwords are off, one that was set is no way in', async () => {
  await using without = await World.start({ env: { ...env, MAILROOM_PASSWORDS: 'off' }, database: world.database })
  const { organization, session, passkey } = await withPasskey()
  assert.equal((await session.request('PUT', '/v1/me/password', { password })).status, 200)
  const there = await signIn(organization, session.id, without)
  assert.deepEqual(outcome(await there.request('DELETE', `/v1/me/passkeys/${passkey}`)), [400, 'id'])
})

test('single sign-on is a way in for who has used it, at the provider of now', async () => {
  const issuer = 'http://127.0.0.1:1/'
  const client = { MAILROOM_OIDC_CLIENT_ID: 'mailroom', MAILROOM_OIDC_CLIENT_SECRET: 's' }
  const provider = { ...client, MAILROOM_OIDC_ISSUER: issuer }
  await using there = await World.start({ env: { ...env, ...provider }, database: world.database })
  const { organization, session, passkey } = await withPasskey()
  const path = `/v1/me/passkeys/${passkey}`
  const remove = async () => (await signIn(organization, session.id, there)).request('DELETE', path)
  const member = { organization_id: organization.id, member_id: session.id }
  const identity = { ...member, issuer: 'https://old.example/', subject: '1' }
  await world.db.insertInto('member_identities').values(identity).execute()
  assert.deepEqual(outcome(await remove()), [400, 'id'])
  await world.db.updateTable('member_identities').set({ issuer }).where('member_id', '=', session.id).execute()
  assert.equal((await session.request('DELETE', path)).status, 400, 'where there is none')
  assert.equal((await remove()).status, 200)
})

test('who is a member of several organizations has passkeys of each', async () => {
  const email = `${randomUUID()}@people.example`
  const authenticator = new Authenticator()
  const ids = []
  for (const organization of [await world.organization(), await world.organization()]) {
    const { id } = await organization.member(email)
    ids.push(id)
    assert.equal((await addPasskey(await signIn(organization, id), authenticator)).status, 201)
  }
  for (const [at, made] of authenticator.made.entries())
    assert.equal((await tryPasskey(world, authenticator, { id: made.id })).body.id, ids[at])
})

test('passkeys of other members do not exist, and their credentials cannot be had twice', async () => {
  const [one, two] = [await withPasskey(), await withPasskey()]
  const path = `/v1/me/passkeys/${one.passkey}`
  assert.equal((await two.session.request('PATCH', path, { name: 'Mine' })).status, 404)
  assert.equal((await two.session.request('DELETE', path)).status, 404)
  const id = one.authenticator.made[0]?.id
  assert.ok(id)
  assert.deepEqual(outcome(await addPasskey(two.session, new Authenticator(), { id })), [400, 'credential'])
  const { options } = (await two.session.request('POST', '/v1/session/confirm/challenge')).body
  const passkey = one.authenticator.get(options)
  assert.deepEqual(outcome(await two.session.request('POST', '/v1/session/confirm', { passkey })), [400, 'passkey'])
  assert.equal((await tryPasskey(world, one.authenticator)).body.id, one.session.id)
})

test('after ten minutes a passkey confirms who it is, in place of password and code', async () => {
  const { session, authenticator, passkey } = await withPasskey()
  await both(10 * minute)
  for (const answer of [
    await session.request('POST', '/v1/me/passkeys/challenge'),
    await session.request('DELETE', `/v1/me/passkeys/${passkey}`),
  ])
    assert.deepEqual([answer.status, answer.body.error.needs], [403, 'confirmation'])
  assert.equal((await session.request('PATCH', `/v1/me/passkeys/${passkey}`, { name: 'Mine' })).status, 200)
  const { options } = (await session.request('POST', '/v1/session/confirm/challenge')).body
  assert.deepEqual(each(options.allowCredentials, 'id'), [authenticator.get(options).id])
  const confirmed = await session.request('POST', '/v1/session/confirm', { passkey: authenticator.get(options) })
  assert.equal(confirmed.body.confirmed_until, new Date(world.clock.now() + 10 * minute).toISOString())
  assert.equal((await addPasskey(session, new Authenticator())).status, 201)
})

test('who has no passkey confirms with none', async () => {
  const session = await withPassword(await world.organization(), `${randomUUID()}@people.example`)
  assert.deepEqual(outcome(await session.request('POST', '/v1/session/confirm/challenge')), [400, 'passkey'])
})

test('a member has twenty at most', async () => {
  const { session } = await withPasskey()
  const authenticator = new Authenticator()
  for (let n = 1; n < 20; n++) assert.equal((await addPasskey(session, authenticator)).status, 201)
  assert.deepEqual(outcome(await session.request('POST', '/v1/me/passkeys/challenge')), [400, 'credential'])
})

test('a sign-in by a passkey and in another way is refused', async () => {
  const passkey = { id: 'AA', response: { clientDataJSON: 'AA', authenticatorData: 'AA', signature: 'AA' } }
  for (const more of [{ link: 'x' }, { password, email: 'a@b.example' }, { code: '123456' }]) {
    const answer = await world.client.request('POST', '/v1/session', { body: { passkey, ...more } })
    assert.deepEqual(outcome(answer), [400, 'passkey'])
  }
})

test('an attestation with a certificate is refused, and no host that it names is asked', async () => {
  let asked = 0
  const server = createServer((_request, response) => {
    asked += 1
    response.end()
  }).listen(0, '127.0.0.1')
  after(() => server.close())
  const { session } = await withPasskey()
  const certificate = Buffer.from(`http://127.0.0.1:${(server.address() as AddressInfo | null)?.port}/crl`)
  const signed = { alg: -7, sig: Buffer.alloc(70), x5c: [certificate] }
  const statement = new Map<string, number | Buffer | Buffer[]>(Object.entries(signed))
  for (const format of ['packed', 'fido-u2f', 'android-key', 'tpm', 'apple', 'other']) {
    const answer = await addPasskey(session, new Authenticator(), { attestation: [format, statement] })
    assert.deepEqual(outcome(answer), [400, 'credential'])
  }
  assert.equal(asked, 0)
  assert.equal((await list(session)).length, 1)
})

test('removing a member deletes their passkeys', async () => {
  const { organization, session, authenticator } = await withPasskey()
  await organization.world.db.deleteFrom('members').where('id', '=', session.id).execute()
  assert.equal((await tryPasskey(world, authenticator)).status, 401)
})
