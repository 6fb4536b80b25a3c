import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { signIn } from '#test/world/members/signed-in.ts'
import { World } from '#test/world/world.ts'
import { EventStream } from './reader.ts'

let world: World
before(async () => {
  world = await World.start()
})
after(() => world[Symbol.asyncDispose]())

test('the stream of a member says which settings have changed without an event; no other stream does', async () => {
  const organization = await world.organization()
  const { id } = await organization.member(`ada@${organization.domain}`, 'owner')
  const ada = await signIn(organization, id)
  const query = '?after=now'
  await using ours = await EventStream.open(world.base, { cookie: ada.cookie, query })
  await using chosen = await EventStream.open(world.base, { cookie: ada.cookie, query: '?after=now&types=label' })
  await using program = await EventStream.open(world.base, { key: organization.key, query })
  const { next } = (await organization.request('GET', `/v1/events?after=now`)).body
  for (const [path, body, item] of [
    ['/v1/domains', { domain: `shop.${organization.domain}` }, 'domain'],
    ['/v1/api-keys', { name: 'Shop', scopes: ['labels:read'] }, 'key'],
    ['/v1/members', { email: `bob@${organization.domain}` }, 'member'],
  ] as const) {
    const { status, bytes } = await ada.request('POST', path, body)
    assert.equal(status, 201, `${bytes}`)
    assert.deepEqual(await ours.next(), { id: '', name: 'settings', event: { item } })
  }
  // Personal items have no event.
  assert.equal((await ada.request('POST', '/v1/me/labels', { name: 'Tea' })).status, 201)
  await organization.request('POST', '/v1/labels', { name: 'After it' })
  for (const stream of [ours, chosen, program]) assert.equal((await stream.next())?.event.type, 'label.created')
  const { body } = await organization.request('GET', `/v1/events?after=${next}`)
  assert.deepEqual(
    body.data.map(({ type }: { type: string }) => type),
    ['label.created'],
  )
})
