// On both databases: requests change one address at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { privateMailbox } from '#test/world/mail/private-mailbox.ts'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()
const { organization, address: ada } = await world.mailbox('ada')

const get = (query = '') => organization.request('GET', `/v1/forwarding${query}`)
const patch = (change: object, mailbox = ada) => organization.request('PATCH', '/v1/forwarding', { mailbox, ...change })
const now = () => new Date(world.clock.now()).toISOString()

test('a mailbox that was never configured has its settings too', async () => {
  const created = (await organization.request('GET', '/v1/mailboxes')).body.data[0].created_at
  const never = {
    mailbox: ada,
    forward: { enabled: false, to: null, since: null, until: null, paused_at: null, paused_because: null },
    reply: { enabled: false, subject: '', body: '', since: null, until: null },
    updated_at: created,
  }
  assert.deepEqual((await get()).body, { data: [never], next_cursor: null })
  assert.deepEqual((await get(`?mailbox=${ada.toUpperCase()}`)).body, never)
})

test('a change answers the bare object, as it is from then on', async () => {
  const until = new Date(world.clock.now() + 3_600_000).toISOString()
  const { status, body } = await patch({
    ...{ forward_to: 'Ada@Away.example', forward_enabled: true, forward_until: until },
    ...{ reply_subject: 'Away', reply_body: 'Back soon\n', reply_enabled: true },
  })
  assert.equal(status, 200)
  assert.deepEqual(body, {
    mailbox: ada,
    forward: { enabled: true, to: 'ada@away.example', since: now(), until, paused_at: null, paused_because: null },
    reply: { enabled: true, subject: 'Away', body: 'Back soon\n', since: now(), until: null },
    updated_at: now(),
  })
  assert.deepEqual((await get(`?mailbox=${ada}`)).body, body)
})

for (const [what, change, field] of [
  ['forwarding without a destination', { forward_to: null, forward_enabled: true }, 'forward_to'],
  ['an end without an offset', { forward_until: '2026-12-01T00:00:00' }, 'forward_until'],
  ['an end that is no day', { reply_until: '2026-02-30T00:00:00Z' }, 'reply_until'],
  ['nothing but a null that means nothing', { reply_subject: null }, 'body'],
] as const)
  test(`refused, and nothing changes: ${what}`, async () => {
    const before = (await get(`?mailbox=${ada}`)).body
    const { status, body } = await patch(change)
    assert.deepEqual([status, body.error.code, body.error.field], [400, 'invalid_request', field])
    assert.deepEqual((await get(`?mailbox=${ada}`)).body, before)
  })

test('forwarding to an alias of the mailbox, or from a Private one, is refused', async () => {
  const { address } = await privateMailbox(organization, 'secret')
  for (const [to, from] of [
    [`postmaster@${organization.domain}`, ada],
    ['x@away.example', address],
  ] as const)
    assert.equal((await patch({ forward_to: to, forward_enabled: true }, from)).body.error.field, 'forward_to')
})

test('of concurrent changes none is lost', async () => {
  const { address } = await organization.mailbox('busy')
  const changes = [{ forward_to: 'x@away.example' }, { reply_body: 'Away' }, { reply_subject: 'Hello' }]
  await Promise.all(changes.map((change) => patch(change, address)))
  const { forward, reply } = (await get(`?mailbox=${address}`)).body
  assert.deepEqual([forward.to, reply.body, reply.subject], ['x@away.example', 'Away', 'Hello'])
})
