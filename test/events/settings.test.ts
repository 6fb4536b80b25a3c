import assert from 'node:assert/strict'
import { test } from 'node:test'
import { each } from '#test/world/each.ts'
import { signIn } from '#test/world/members/signed-in.ts'
import { World } from '#test/world/world.ts'
import { now } from './furnished.ts'
import { EventStream } from './reader.ts'

const world = await World.ofFile()

test('the stream of a member says which settings have changed without an event; no other stream does', async () => {
  const organization = await world.organization()
  const { id } = await organization.member(`ada@${organization.domain}`, 'owner')
  const ada = await signIn(organization, id)
  const after = await now(world, { organization })
  await using ours = await EventStream.open(world.base, { cookie: ada.cookie, after })
  await using chosen = await EventStream.open(world.base, { cookie: ada.cookie, query: '?types=label', after })
  await using program = await EventStream.open(world.base, { key: organization.key, after })
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
  const { body } = await organization.request('GET', `/v1/events?after=${after}`)
  assert.deepEqual(each(body.data, 'type'), ['label.created'])
})

test('the stream says that folders of a mailbox are made, renamed and deleted, to those who read its mail', async () => {
  const organization = await world.organization()
  const [shop, desk] = [await organization.mailbox('shop'), await organization.mailbox('desk')]
  const { id: bob } = await organization.member(`bob@${organization.domain}`)
  const { id: owner } = await organization.member(`ada@${organization.domain}`, 'owner')
  const ada = await signIn(organization, owner)
  const shared = await ada.request('PUT', `/v1/mailboxes/${desk.address}/access/${bob}`, { level: 'read' })
  assert.equal(shared.status, 200, `${shared.bytes}`)
  const { cookie } = await signIn(organization, bob)
  const after = await now(world, { organization })
  await using his = await EventStream.open(world.base, { cookie, after })
  const change = async (method: string, path: string, mailbox: string, body?: object) => {
    const answer = await organization.request(
      method,
      `/v1/folders${path}${path.includes('?') ? '&' : '?'}mailbox=${mailbox}`,
      body,
    )
    assert.ok(answer.status < 300, `${answer.bytes}`)
  }
  const told = { id: '', name: 'settings', event: { item: 'folder', mailbox: desk.address } }
  await change('POST', '', shop.address, { name: 'Hidden' })
  await change('POST', '', desk.address, { name: 'Old' })
  assert.deepEqual(await his.next(), told)
  await change('PATCH', '/Old', desk.address, { name: 'New' })
  assert.deepEqual(await his.next(), told)
  // It is there already.
  await change('POST', '', desk.address, { name: 'New' })
  await change('DELETE', '/New', desk.address)
  assert.deepEqual(await his.next(), told)
  await change('DELETE', '/Hidden?move_to=archive', shop.address)
  await organization.request('POST', '/v1/labels', { name: 'After it' })
  assert.equal((await his.next())?.event.type, 'label.created')
  const { body } = await organization.request('GET', `/v1/events?after=${after}`)
  assert.deepEqual(each(body.data, 'type'), ['label.created'])
})
