// On both databases: one link is used many times at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byOperator } from '#/base/audit/actor.ts'
import { entriesOf } from '#/base/audit/queries.ts'
import { generateKey } from '#/people/keys/api-key.ts'
import { removeMember } from '#/people/members/members.ts'
import { each } from '#test/world/each.ts'
import { cookieIn, fromOurPage, linkFor, signIn } from '#test/world/members/signed-in.ts'
import { everyOperation, memberOperations } from '#test/world/routes/every-route.ts'
import type { Answer } from '#test/world/sockets/http-client.ts'
import { World } from '#test/world/world.ts'
import { newToken } from './token.ts'

const world = await World.ofFile()

const hour = 3_600_000
const day = 24 * hour

/** Of an error what does not differ from request to request. */
function comparable({ status, headers, body }: Answer): unknown {
  const { request_id: _, ...error } = body.error
  const varying = ['x-request-id', 'date', 'ratelimit', 'content-length']
  return { status, error, headers: [...headers].filter(([name]) => !varying.includes(name)) }
}

const useLink = (link: string, headers: Record<string, string> = {}) =>
  world.client.request('POST', '/v1/session', { body: { link }, headers })

async function withMember(role: 'owner' | 'admin' | 'member' = 'member') {
  const organization = await world.organization()
  const mailbox = await organization.mailbox('ada')
  const { id } = await organization.member(mailbox.address, role)
  return { organization, mailbox, id }
}

test('a link signs its member in, who sees who they are', async () => {
  const { organization, mailbox, id } = await withMember()
  const answer = await useLink(await linkFor(organization, id))
  const cookie = answer.headers.get('set-cookie') ?? ''
  assert.match(cookie, /^mailroom_session=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/)
  const me = await world.client.request('GET', '/v1/me', { headers: { cookie: cookieIn(answer) } })
  assert.equal(me.status, 200)
  assert.deepEqual(me.body, answer.body)
  const { joined_at: _, scopes, ...who } = me.body
  assert.ok(scopes.includes('messages:read') && !scopes.includes('labels:write'), scopes)
  assert.deepEqual(who, {
    ...{ id, email: mailbox.address, name: '', role: 'member', has_password: false, has_totp: false },
    has_passkey: false,
    organization: { id: organization.id, name: organization.name },
    mailboxes: [{ id: mailbox.id, address: mailbox.address, name: '', kind: 'smart', suspended: false, level: 'own' }],
    permissions: [],
  })
  assert.equal(me.headers.get('ratelimit-policy'), '"member";q=600;w=60')
})

test('a link shows whom it signs in, as often as it is asked, until it is used', async () => {
  const { organization, mailbox, id } = await withMember()
  const link = await linkFor(organization, id)
  const ask = () => world.client.request('POST', '/v1/session/link', { body: { link } })
  for (const answer of [await ask(), await ask()]) {
    assert.deepEqual([answer.status, answer.headers.get('set-cookie')], [200, null])
    assert.deepEqual([answer.body.email, answer.body.organization], [mailbox.address, organization.name])
  }
  assert.equal((await useLink(link)).status, 201)
  assert.deepEqual(comparable(await ask()), comparable(await useLink(link)))
})

test('a link signs in once, also when it is used several times together', async () => {
  const { organization, id } = await withMember()
  const link = await linkFor(organization, id)
  const answers = await Promise.all(Array.from({ length: 8 }, () => useLink(link)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array(7).fill(401)])
  const again = await useLink(link)
  assert.deepEqual([again.status, again.headers.get('set-cookie')], [401, null])
})

test('a link works for 72 hours, and until there is a newer one', async () => {
  const { organization, id } = await withMember()
  const old = await linkFor(organization, id)
  const link = await linkFor(organization, id)
  assert.equal((await useLink(old)).status, 401)
  await world.advance(72 * hour)
  assert.equal((await useLink(link)).status, 401)
  const last = await linkFor(organization, id)
  await world.advance(72 * hour - 1)
  assert.equal((await useLink(last)).status, 201)
})

test('no word of an answer tells a link that was used from one that never was', async () => {
  const { organization, id } = await withMember()
  const used = await linkFor(organization, id)
  await useLink(used)
  const answers = []
  for (const link of [used, `${world.base}/sign-in#${newToken()}`, newToken(), 'x', ''])
    answers.push(comparable(await useLink(link)))
  for (const answer of answers) assert.deepEqual(answer, answers[0])
})

test('each sign-in has a token of its own, and ends the session that the browser had', async () => {
  const { organization, id } = await withMember()
  const planted = `mailroom_session=${newToken()}`
  const first = await useLink(await linkFor(organization, id), { cookie: planted, ...fromOurPage })
  assert.notEqual(cookieIn(first), planted)
  const ask = (cookie: string) => world.client.request('GET', '/v1/me', { headers: { cookie } })
  assert.equal((await ask(planted)).status, 401)
  assert.equal((await ask(cookieIn(first))).status, 200)
  const second = await useLink(await linkFor(organization, id), { cookie: cookieIn(first), ...fromOurPage })
  assert.notEqual(cookieIn(second), cookieIn(first))
  assert.deepEqual([(await ask(cookieIn(first))).status, (await ask(cookieIn(second))).status], [401, 200])
})

test('signing out ends the session and deletes the cookie; other sessions stay', async () => {
  const { organization, id } = await withMember()
  const [one, other] = [await signIn(organization, id), await signIn(organization, id)]
  assert.equal((await one.request('GET', '/v1/me')).status, 200)
  const answer = await one.request('DELETE', '/v1/session')
  assert.deepEqual(answer.body, { signed_out: true })
  assert.match(answer.headers.get('set-cookie') ?? '', /^mailroom_session=; Path=\/; Max-Age=0;/)
  const again = await one.request('GET', '/v1/me')
  assert.deepEqual([again.status, again.body.error.message], [401, 'This session has ended'])
  assert.equal((await other.request('GET', '/v1/me')).status, 200)
})

for (const [what, usedDays, days] of [
  ['7 days after its last use', 0, 7],
  ['30 days after the sign-in, however it is used', 29, 30],
] as const)
  test(`a session ends ${what}, and not before`, async () => {
    const { organization, id } = await withMember()
    const statuses = []
    for (const later of [-60_000, 60_000]) {
      const member = await signIn(organization, id)
      const last_used_at = new Date(world.clock.now() + usedDays * day)
      await world.db.updateTable('member_sessions').set({ last_used_at }).where('member_id', '=', id).execute()
      await world.advance(days * day + later)
      statuses.push((await member.request('GET', '/v1/me')).status)
    }
    assert.deepEqual(statuses, [200, 401])
  })

test('the last use is recorded to the minute, by no write of the request', async () => {
  const { organization, id } = await withMember()
  await signIn(organization, id)
  const [row] = await world.db.selectFrom('member_sessions').selectAll().where('member_id', '=', id).execute()
  assert.ok(row)
  assert.equal(row.last_used_at.getTime(), Math.floor(world.clock.now() / 60_000) * 60_000)
  assert.equal(row.confirmed_at.getTime(), row.created_at.getTime())
  assert.equal(row.client_address, '127.0.0.1')
})

test('to a key, what is for members alone does not exist, to the letter, whatever is sent there', async () => {
  const organization = await world.organization()
  const bodies = [undefined, {}, { link: 'x' }, '{"link":', 'x'.repeat(2 << 20)]
  const forKeys = new Set((await everyOperation(world)).map(({ path }) => path))
  for (const { name, method, path } of await memberOperations(world)) {
    // Else the key would have had too many requests.
    await world.advance(60_000)
    for (const body of method === 'GET' ? [undefined] : bodies)
      for (const query of ['', '?x=1']) {
        const ask = async (method: string, path: string) => {
          const answer = await organization.request(method, path + query, body)
          assert.ok([400, 404].includes(answer.status))
          return JSON.parse(JSON.stringify(comparable(answer)).replaceAll(`not ${method}`, 'not so'))
        }
        const hidden = await ask(method, path.replaceAll(/\{\w+\}/g, 'x'))
        const none = forKeys.has(path) ? await ask('PUT', path) : await ask(method, '/v1/nothing')
        assert.deepEqual(hidden, none, `${name} ${JSON.stringify(body)?.slice(0, 20)}`)
      }
    if (forKeys.has(path)) continue
    const ask = (path: string) => organization.request('PUT', path)
    const [wrong, none] = [await ask(path.replaceAll(/\{\w+\}/g, 'x')), await ask('/v1/nothing')]
    assert.deepEqual(comparable(wrong), comparable(none), `PUT ${path}`)
  }
})

test('for a request with a key and a cookie the key counts', async () => {
  const { organization, id } = await withMember('owner')
  const member = await signIn(organization, id)
  const other = await world.organization()
  const ask = (path: string, key: string) => member.request('GET', path, undefined, { key })
  assert.equal((await ask('/v1/me', other.key)).status, 404)
  assert.equal((await ask('/v1/me', generateKey())).status, 401)
  assert.equal((await ask('/v1/mailboxes', other.key)).body.total, 0)
  assert.equal((await ask('/v1/mailboxes', organization.key)).body.total, 1)
})

test('a member who is removed has no session and no link any more', async () => {
  const { organization, id } = await withMember()
  const member = await signIn(organization, id)
  const link = await linkFor(organization, id)
  await removeMember(world.db, organization.id, id, byOperator)
  assert.equal((await useLink(link)).status, 401)
  assert.equal((await member.request('GET', '/v1/me')).status, 401)
})

interface Listed {
  readonly id: string
  readonly current: boolean
}

async function listed(session: Awaited<ReturnType<typeof signIn>>): Promise<Listed[]> {
  return (await session.request('GET', '/v1/me/sessions')).body.data
}

test('a member lists the sessions that are theirs and have not ended, and ends one', async () => {
  const organization = await world.organization()
  const [ada, bob] = [await organization.member('ada@people.example'), await organization.member('bob@people.example')]
  const [one, other] = [await signIn(organization, ada.id), await signIn(organization, ada.id)]
  const anothers = await signIn(organization, bob.id)
  const [first, second] = [await listed(one), await listed(other)]
  assert.deepEqual(each(first, 'id').sort(), each(second, 'id').sort())
  for (const list of [first, second]) assert.equal(list.filter(({ current }) => current).length, 1)
  assert.equal((await listed(anothers)).length, 1)
  const id = second.find(({ current }) => current)?.id
  assert.deepEqual((await one.request('DELETE', `/v1/me/sessions/${id}`)).body, { ended: true, id })
  assert.equal((await listed(one)).length, 1)
  world.clock.advance(5_000)
  assert.equal((await other.request('GET', '/v1/me')).status, 401)
  await world.advance(7 * day)
  const later = await signIn(organization, ada.id)
  assert.equal((await listed(later)).length, 1, 'the other has ended')
})

test('the audit trail has where a member signed in, and which session they ended from where', async () => {
  const organization = await world.organization()
  const { id } = await organization.member('ada@people.example')
  const [one, other] = [await signIn(organization, id), await signIn(organization, id)]
  const ended = (await listed(other)).find(({ current }) => !current)?.id
  await other.request('DELETE', `/v1/me/sessions/${ended}`)
  await other.request('DELETE', '/v1/session')
  assert.equal((await other.request('DELETE', `/v1/me/sessions/${ended}`)).status, 401)
  const entries = await entriesOf(world.db, organization.id, { action: 'member', actor: id }, 10)
  const seen = { client_address: '127.0.0.1', user_agent: entries[0]?.before?.user_agent }
  const signed = { ...seen, way: 'link' }
  for (const { item } of entries) assert.deepEqual(item, { id, name: 'ada@people.example' })
  assert.deepEqual(each(entries.reverse(), 'action', 'before', 'after'), [
    ...Array(2).fill(['member.signed_in', null, signed]),
    ...Array(2).fill(['member.signed_out', seen, null]),
  ])
  for (const { cookie } of [one, other]) assert.ok(!JSON.stringify(entries).includes(cookie.split('=')[1] ?? cookie))
})
