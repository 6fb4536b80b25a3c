// On both databases: two answers of a provider come at once.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { entriesOf } from '#/base/audit/queries.ts'
import { each } from '#test/world/each.ts'
import { BrowserAt } from '#test/world/identity/browser-at.ts'
import { ForgedProvider } from '#test/world/identity/forged-provider.ts'
import { signIn } from '#test/world/members/signed-in.ts'
import { ofFile } from '#test/world/of-file.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'

const forge = ofFile(await ForgedProvider.start())
const world = await World.ofFile({ env: forge.env })
forge.now = () => world.clock.now()

const minute = 60_000

/** A person at the provider. */
function person(email = `${randomUUID()}@people.example`) {
  return { sub: randomUUID(), email, email_verified: true, name: 'Ada Lovelace' }
}

const secondsNow = () => Math.floor(world.clock.now() / 1_000)

test('a member signs in at the provider, and comes to the page that they wanted', async () => {
  const organization = await world.organization()
  const ada = person()
  const { id } = await organization.member(ada.email.toUpperCase())
  const browser = new BrowserAt(world)
  assert.deepEqual((await browser.request('GET', '/v1/session/ways')).body.single_sign_on, { name: 'The forge' })
  assert.deepEqual(await browser.signIn(forge, ada, { to: '/mail?x=1' }), { path: '/mail', failed: null })
  assert.deepEqual([...browser.cookies.keys()], ['mailroom_session'])
  assert.equal((await browser.request('GET', '/v1/me')).body.id, id)
  const [entry] = await entriesOf(world.db, organization.id, { action: 'member.signed_in' }, 1)
  assert.partialDeepStrictEqual(entry, { actor: { kind: 'member', id }, after: { way: 'single_sign_on' } })
})

test('without a provider there is no single sign-on', async () => {
  await using without = await World.start({ database: world.database })
  const organization = await world.organization()
  const { id } = await organization.member('ada@people.example')
  const session = await signIn(organization, id, without)
  assert.equal((await session.request('GET', '/v1/session/ways')).body.single_sign_on, null)
  assert.equal((await session.request('POST', '/v1/session/single-sign-on', {})).status, 404)
  assert.equal((await session.request('POST', '/v1/session/confirm/single-sign-on')).status, 404)
  assert.equal((await session.request('GET', '/v1/session/single-sign-on/callback')).status, 404)
})

test('an answer opens one session, in the browser that asked, within ten minutes', async () => {
  const organization = await world.organization()
  const ada = person()
  await organization.member(ada.email)
  const expired = { path: '/sign-in', failed: 'expired' }
  const [browser, other] = [new BrowserAt(world), new BrowserAt(world)]
  const answer = forge.answerTo(await browser.begin(), ada)
  assert.deepEqual(await other.comeBack(answer), expired, 'a browser that asked for nothing')
  await other.begin()
  assert.deepEqual(await other.comeBack(answer), expired, 'a browser that asked for something else')
  const kept = new Map(browser.cookies)
  assert.equal((await browser.comeBack(answer)).failed, null)
  const replayed = new BrowserAt(world)
  for (const [name, value] of kept) replayed.cookies.set(name, value)
  assert.deepEqual(await replayed.comeBack(answer), expired, 'once more')
  const late = forge.answerTo(await browser.begin(), ada)
  await world.advance(10 * minute)
  assert.deepEqual(await browser.comeBack(late), expired, 'ten minutes later')
})

test('an answer to something else opens nothing, and does not use up what was asked', async () => {
  const ada = person()
  await (await world.organization()).member(ada.email)
  const browser = new BrowserAt(world)
  const url = await browser.begin()
  const cookies = new Map(browser.cookies)
  assert.equal((await browser.comeBack(forge.answerTo(url, ada, { state: 'forged' }))).failed, 'expired')
  for (const [name, value] of cookies) browser.cookies.set(name, value)
  assert.equal((await browser.comeBack(forge.answerTo(url, ada))).failed, null)
})

test('of two answers at once one opens a session', async () => {
  const ada = person()
  await (await world.organization()).member(ada.email)
  const browser = new BrowserAt(world)
  const url = await browser.begin()
  const [one, two] = [forge.answerTo(url, ada), forge.answerTo(url, ada)]
  const twin = new BrowserAt(world)
  for (const [name, value] of browser.cookies) twin.cookies.set(name, value)
  const outcomes = await Promise.all([browser.comeBack(one), twin.comeBack(two)])
  assert.deepEqual(outcomes.map(({ failed }) => failed).toSorted(), ['expired', null])
})

test('a session is new at every sign-in, and the one before ends', async () => {
  const ada = person()
  await (await world.organization()).member(ada.email)
  const browser = new BrowserAt(world)
  await browser.signIn(forge, ada)
  const before = await browser.member()
  await browser.signIn(forge, ada)
  assert.notEqual((await browser.member()).cookie, before.cookie)
  assert.equal((await before.request('GET', '/v1/me')).status, 401)
})

test('nobody is led to where we do not live', async () => {
  const elsewhere = ['//evil.test', '/\\evil.test', 'https://evil.test', 'mail', '/a\\b', `/${'x'.repeat(2_000)}`]
  for (const to of elsewhere) {
    const { status, body } = await new BrowserAt(world).request('POST', '/v1/session/single-sign-on', { to })
    assert.deepEqual([status, body.error.field], [400, 'to'], to)
  }
})

test('a path that only looks like one of ours stays on our host', async () => {
  const ada = person()
  await (await world.organization()).member(ada.email)
  const { path } = await new BrowserAt(world).signIn(forge, ada, { to: '/x/..//evil.example/é' })
  assert.equal(path, '//evil.example/%C3%A9')
})

for (const [what, change, failed] of [
  ['has no verified address', { email_verified: false }, 'no_address'],
  ['has no address', { email: undefined }, 'no_address'],
  ['has what is none', { email: 'ada' }, 'no_address'],
  ['is no member', {}, 'no_member'],
] as const)
  test(`who ${what} gets no session`, async () => {
    const browser = new BrowserAt(world)
    assert.deepEqual(await browser.signIn(forge, { ...person(), ...change }), { path: '/sign-in', failed })
    assert.equal((await browser.request('GET', '/v1/me')).status, 401)
  })

test('what the provider refuses, and what is not its answer, is said so', async () => {
  const browser = new BrowserAt(world)
  const ada = person()
  const refused = forge.answerTo(await browser.begin(), ada, { error: 'access_denied' })
  assert.deepEqual(await browser.comeBack(refused), { path: '/sign-in', failed: 'refused' })
  assert.equal((await browser.signIn(forge, { ...ada, nonce: 'another' })).failed, 'invalid')
  forge.answers.set('/token', 'hang up')
  assert.equal((await browser.signIn(forge, ada)).failed, 'unavailable')
  forge.answers.clear()
})

test('a provider that does not answer is reported before the browser is redirected', async () => {
  const away = { ...forge.env, MAILROOM_OIDC_ISSUER: 'http://127.0.0.1:9' }
  await using other = await World.start({ database: world.database, env: away })
  const { status, body } = await new BrowserAt(other).request('POST', '/v1/session/single-sign-on', {})
  assert.deepEqual([status, body.error.code], [502, 'provider_unavailable'])
})

test('a member is who they were at the provider: not who has their address later, nor who takes another', async () => {
  const organization = await world.organization()
  const ada = person()
  const { id } = await organization.member(ada.email)
  assert.equal((await new BrowserAt(world).signIn(forge, ada)).failed, null)
  const heir = { ...person(), email: ada.email }
  assert.equal((await new BrowserAt(world).signIn(forge, heir)).failed, 'other_account')
  const renamed = new BrowserAt(world)
  await renamed.signIn(forge, { ...ada, email: person().email })
  assert.equal((await renamed.member()).id, id)
  const owner = await signIn(organization, (await organization.member('owner@people.example', 'owner')).id)
  assert.equal((await owner.request('POST', `/v1/members/${id}/invitation`)).status, 201)
  const invited = new BrowserAt(world)
  await invited.signIn(forge, heir)
  assert.equal((await invited.member()).id, id, 'after a new invitation')
})

test('a member of several organizations names one, or gets the one that they joined first', async () => {
  const [first, second] = [await world.organization(), await world.organization()]
  const ada = person()
  await first.member(ada.email)
  await second.member(ada.email)
  const organizationOf = async (body?: object) => {
    const browser = new BrowserAt(world)
    await browser.signIn(forge, ada, body)
    return (await browser.request('GET', '/v1/me')).body.organization.id
  }
  assert.equal(await organizationOf(), first.id)
  assert.equal(await organizationOf({ organization: second.name.toUpperCase() }), second.id)
  assert.equal(await organizationOf({ organization: second.id }), second.id)
  const other = await world.organization()
  assert.equal((await new BrowserAt(world).signIn(forge, ada, { organization: other.name })).failed, 'no_member')
})

/** The same service, for which the operator has said more. */
async function worldWith(env: Record<string, string>): Promise<World> {
  const served = await World.start({ database: world.database, env: { ...forge.env, ...env } })
  forge.now = () => served.clock.now()
  return served
}

async function roleOf(organization: TestOrganization, id: string): Promise<string> {
  return (await organization.request('GET', `/v1/members`)).body.data.find((one: { id: string }) => one.id === id).role
}

test('people of a domain become members of its organization by themselves, and get their mailbox', async () => {
  const organization = await world.organization()
  const [host, other] = [`${randomUUID()}.example`, await world.organization()]
  await using served = await worldWith({ MAILROOM_OIDC_DOMAINS: `${host}=${organization.name},x.example=nowhere` })
  const ada = person(`ada@${host}`)
  // An organization that only claims the person does not get them.
  await other.member(ada.email)
  const browsers = [new BrowserAt(served), new BrowserAt(served)]
  const outcomes = await Promise.all(browsers.map((browser) => browser.signIn(forge, ada)))
  assert.deepEqual(each(outcomes, 'failed'), [null, null])
  const me = (await browsers[0]?.request('GET', '/v1/me'))?.body
  assert.partialDeepStrictEqual(me, { name: 'Ada Lovelace', role: 'member', organization: { id: organization.id } })
  const [added, ...more] = await entriesOf(world.db, organization.id, { action: 'member.added' }, 10)
  assert.partialDeepStrictEqual(added, { actor: { kind: 'single_sign_on', id: null, name: 'The forge' } })
  assert.deepEqual(more, [])
  assert.equal((await new BrowserAt(served).signIn(forge, person('eve@x.example'))).failed, 'no_member')
  const named = await new BrowserAt(served).signIn(forge, person(`bob@${host}`), { organization: other.name })
  assert.equal(named.failed, 'no_member', 'of another organization nobody becomes a member')
  const same = await new BrowserAt(served).signIn(forge, person(`bob@${host}`), { organization: organization.id })
  assert.equal(same.failed, null)
})

test('groups give the role at each sign-in, and the last owner stays one', async () => {
  const organization = await world.organization()
  await using served = await worldWith({ MAILROOM_OIDC_OWNER_GROUP: 'owners', MAILROOM_OIDC_ADMIN_GROUP: 'admins' })
  const ada = person()
  const { id } = await organization.member(ada.email)
  const signedInWith = async (...groups: string[]) => {
    assert.equal((await new BrowserAt(served).signIn(forge, { ...ada, groups })).failed, null)
    return await roleOf(organization, id)
  }
  assert.equal(await signedInWith('staff', 'admins'), 'admin')
  const [changed] = await entriesOf(world.db, organization.id, { action: 'member.role_changed' }, 1)
  const roles = { before: { role: 'member' }, after: { role: 'admin' } }
  assert.partialDeepStrictEqual(changed, { actor: { kind: 'single_sign_on', name: 'The forge' }, ...roles })
  assert.equal(await signedInWith('owners'), 'owner')
  assert.equal(await signedInWith(), 'owner', 'the last owner')
  await organization.member('other@people.example', 'owner')
  assert.equal(await signedInWith(), 'member')
})

/** What is dangerous, without doing harm. */
async function mayDoWhatIsDangerous(browser: BrowserAt): Promise<boolean> {
  const { status, body } = await browser.request('PUT', '/v1/me/password', { password: 'password' })
  if (status === 403) assert.equal(body.error.needs, 'confirmation')
  return status === 400
}

test('what is dangerous needs a sign-in at the provider within ten minutes, not only one here', async () => {
  forge.now = () => world.clock.now()
  const ada = person()
  await (await world.organization()).member(ada.email)
  for (const [since, may] of [
    [undefined, false],
    [-601, false],
    [-60, true],
    [3_600, true],
  ] as const) {
    const auth_time = since === undefined ? undefined : secondsNow() + since
    const browser = new BrowserAt(world)
    assert.equal((await browser.signIn(forge, { ...ada, auth_time })).failed, null)
    assert.equal(await mayDoWhatIsDangerous(browser), may, `${since}`)
    await world.advance(10 * minute)
    assert.equal(await mayDoWhatIsDangerous(browser), false)
  }
})

test('a member confirms by signing in at the provider anew, as themselves', async () => {
  forge.now = () => world.clock.now()
  const organization = await world.organization()
  const [ada, eve] = [person(), person()]
  await organization.member(ada.email)
  await organization.member(eve.email)
  const browser = new BrowserAt(world)
  await browser.signIn(forge, ada)
  const began = secondsNow()
  const confirm = async (claims: object) =>
    await browser.comeBack(forge.answerTo(await browser.beginToConfirm(), claims))
  const not = { path: '/confirm', failed: 'not_confirmed' }
  assert.deepEqual(await confirm(ada), not, 'the provider does not say when')
  assert.deepEqual(await confirm({ ...ada, auth_time: began - 60 }), not, 'before it was asked')
  assert.deepEqual(await confirm({ ...eve, auth_time: began }), not, 'another member')
  assert.deepEqual(await confirm({ ...person(), auth_time: began }), not, 'no member')
  assert.equal(await mayDoWhatIsDangerous(browser), false)
  assert.deepEqual(await confirm({ ...ada, auth_time: began }), { path: '/confirm', failed: null })
  assert.equal(await mayDoWhatIsDangerous(browser), true)
  await world.advance(10 * minute)
  assert.equal(await mayDoWhatIsDangerous(browser), false)
})

test('a confirmation opens no session, and confirms none that has ended', async () => {
  const ada = person()
  await (await world.organization()).member(ada.email)
  const browser = new BrowserAt(world)
  await browser.signIn(forge, ada)
  const url = await browser.beginToConfirm()
  assert.equal((await browser.request('DELETE', '/v1/session')).status, 200)
  assert.equal((await browser.comeBack(forge.answerTo(url, { ...ada, auth_time: secondsNow() }))).failed, 'expired')
  assert.equal((await browser.request('GET', '/v1/me')).status, 401)
})

test('what waits for an answer is forgotten after ten minutes', async () => {
  const { forgetSessions } = await import('../queries.ts')
  await new BrowserAt(world).begin()
  await forgetSessions(world.db, new Date(world.clock.now() + 10 * minute))
  assert.deepEqual(await world.db.selectFrom('single_sign_ons').selectAll().execute(), [])
})
