import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byOperator } from '#/base/audit/actor.ts'
import { scopes } from '#/http/access/scopes.ts'
import { generateKey } from '#/people/keys/api-key.ts'
import { createKey, revokeKey } from '#/people/keys/keys.ts'
import { suspendOrganization } from '#/people/organizations/register.ts'
import { fromOurPage, signIn } from '#test/world/members/signed-in.ts'
import { furnish } from '#test/world/organization/furnished.ts'
import { everyOperation, memberOperations, pathOf } from '#test/world/routes/every-route.ts'
import type { Answer } from '#test/world/sockets/http-client.ts'
import { World } from '#test/world/world.ts'

// test/world/routes/rules.ts has who may do what. The scopes are tried in keys-and-isolation.test.ts, restrictions in
// restricted-keys.test.ts, roles in roles.test.ts and personal-items.test.ts, levels in shared-mailboxes.test.ts, other sites in
// cross-site.test.ts. This file has callers whom no route, or none of its kind, answers.

const world = await World.ofFile()
const one = await furnish(world)

type Operations = Awaited<ReturnType<typeof everyOperation>> | Awaited<ReturnType<typeof memberOperations>>

test('the description of every route says what its row in the table of rules says', async () => {
  for (const { name, operation, rule } of await everyOperation(world)) {
    assert.deepEqual([operation['x-required-scope']].flat(), [rule.scope].flat(), name)
    assert.equal(rule.level !== undefined, /mail/.test(rule.about) && !/^\S+ \/v1\/mailboxes$/.test(name), name)
  }
  for (const { name, operation, permission, rule } of await memberOperations(world)) {
    assert.equal(permission, rule.permission, name)
    assert.equal(operation.security.length === 0, rule.signsIn === true, name)
    assert.equal(/`needs` is `confirmation`/.test(operation.description), rule.confirmed === true, name)
  }
})

/** Asks of every operation; `headers` has the credentials. */
async function askAll(operations: Operations, headers: Record<string, string>, look: Look): Promise<void> {
  for (const operation of operations) {
    const { name, method, path, sample } = operation
    const body = sample.body?.(one)
    const options = { headers: { ...fromOurPage, ...headers }, ...(body && { body }) }
    look(await world.client.request(method, pathOf(path, sample, one), options), name)
  }
  // Else what is refused would be too many requests of one client.
  await world.advance(60_000)
}

type Look = (answer: Answer, name: string) => void

async function key(fields: { readonly expired?: true; readonly revoked?: true } = {}): Promise<string> {
  const { db, clock } = world
  const expiresAt = fields.expired ? new Date(clock.now() - 1) : null
  const wanted = { name: '', scopes, expiresAt }
  const { key, secret } = await createKey(db, one.organization.id, wanted, clock.now(), byOperator)
  if (fields.revoked) await revokeKey(db, key.id, clock.now(), byOperator)
  return secret
}

/** Invalid session cookies of each kind. */
async function endedCookies(): Promise<Record<string, string>> {
  const sessionOf = async (name: string) =>
    await signIn(one.organization, (await one.organization.member(`${name}@people.example`, 'owner')).id)
  const [out, gone, alone] = [await sessionOf('out'), await sessionOf('gone'), await sessionOf('alone')]
  assert.equal((await out.request('DELETE', '/v1/session')).status, 200)
  assert.equal((await alone.request('DELETE', `/v1/members/${gone.id}`)).status, 200)
  // This process has not noticed: it looks again in five seconds.
  world.clock.advance(5_000)
  return {
    'a token of nobody': `mailroom_session=${'A'.repeat(43)}`,
    'no token': 'mailroom_session=x',
    'two tokens': `${alone.cookie}; ${alone.cookie}`,
    'a session that was signed out of': out.cookie,
    'the session of a member who was removed': gone.cookie,
    'a session under the name of another cookie': alone.cookie.replace('mailroom_session', '__Host-mailroom_session'),
  }
}

test('every route × no credentials: 401, but for the ways to sign in', async () => {
  await askAll(await everyOperation(world), {}, ({ status }, name) => assert.equal(status, 401, name))
  const members = await memberOperations(world)
  const statuses = new Map(members.map(({ name, rule, sample }) => [name, rule.signsIn ? (sample.status ?? 200) : 401]))
  await askAll(members, {}, ({ status }, name) => assert.equal(status, statuses.get(name), name))
})

test('every route × a key that opens nothing: 401', async () => {
  for (const [what, secret] of Object.entries({
    'an unknown one': generateKey(),
    'an expired one': await key({ expired: true }),
    'a revoked one': await key({ revoked: true }),
    'half of one': (await key()).slice(0, 20),
  })) {
    const look: Look = ({ status }, name) => assert.equal(status, 401, `${name} × ${what}`)
    await askAll(await everyOperation(world), { authorization: `Bearer ${secret}` }, look)
  }
})

test('every route × a session that has ended: 401, whatever ended it', async () => {
  for (const [what, cookie] of Object.entries(await endedCookies())) {
    await askAll(await everyOperation(world), { cookie }, ({ status }, name) =>
      assert.equal(status, 401, `${name} × ${what}`),
    )
    const members = (await memberOperations(world)).filter(({ rule }) => !rule.signsIn)
    await askAll(members, { cookie }, ({ status }, name) => assert.equal(status, 401, `${name} × ${what}`))
  }
})

test('every route × a key that has had its requests of the minute: 429', async () => {
  const secret = await one.organization.restrictedKey({ requests_per_minute: 1 })
  const headers = { authorization: `Bearer ${secret}` }
  assert.equal((await world.client.request('GET', '/v1/usage', { headers })).status, 200)
  await askAll(await everyOperation(world), headers, ({ status }, name) => assert.equal(status, 429, name))
})

test('every dangerous route × a session that was confirmed long ago: 403, and nothing else needs that', async () => {
  const { id } = await one.organization.member('long-ago@people.example', 'owner')
  const { cookie } = await signIn(one.organization, id)
  await world.advance(10 * 60_000)
  const members = (await memberOperations(world)).filter(({ rule }) => !rule.signsIn)
  const confirmed = new Set(members.flatMap(({ name, rule }) => (rule.confirmed ? [name] : [])))
  assert.ok(confirmed.size > 8)
  const look: Look = ({ status, body }, name) => {
    const isAsked = status === 403 && body.error.needs === 'confirmation'
    assert.equal(isAsked, confirmed.has(name), `${name}: ${status}`)
  }
  const isLast = ({ path }: { path: string }) => Number(path === '/v1/session')
  await askAll(
    members.toSorted((a, b) => isLast(a) - isLast(b)),
    { cookie },
    look,
  )
})

test('every route × a suspended organization: 403, for its keys and its members', async () => {
  const { id } = await one.organization.member('suspended@people.example', 'owner')
  const { cookie } = await signIn(one.organization, id)
  const authorization = `Bearer ${await key()}`
  await suspendOrganization(world.db, one.organization.id, true, byOperator)
  for (const headers of [{ authorization }, { cookie }])
    await askAll(await everyOperation(world), headers, ({ status }, name) => assert.equal(status, 403, name))
  const members = (await memberOperations(world)).filter(({ rule }) => !rule.signsIn)
  await askAll(members, { cookie }, ({ status }, name) => assert.equal(status, 403, name))
})
