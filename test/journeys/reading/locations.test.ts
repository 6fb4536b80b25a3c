import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signIn } from '#test/world/members/signed-in.ts'
import { furnish } from '#test/world/organization/furnished.ts'
import { everyOperation, memberOperations, pathOf } from '#test/world/routes/every-route.ts'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()

test('what a POST makes is where its Location says, and is what it answered', async () => {
  const one = await furnish(world)
  const { organization } = one
  const member = await signIn(organization, (await organization.member('eve@people.example', 'owner')).id)
  const operations = [
    ...(await everyOperation(world)).map((operation) => ({ ...operation, by: organization })),
    ...(await memberOperations(world)).map((operation) => ({ ...operation, by: member })),
  ]
  let locations = 0
  for (const { name, method, path, sample, by } of operations) {
    if (method !== 'POST') continue
    const answer = await by.request(method, pathOf(path, sample, one), sample.body?.(one))
    const location = answer.headers.get('location')
    assert.equal(location !== null, answer.status === 201, name)
    if (location === null) continue
    locations++
    const there = await by.request('GET', location)
    assert.equal(there.status, 200, `${name} → ${location}`)
    const { password, warnings, key, secret, link, link_expires_at, mailed, ...made } = answer.body
    for (const [field, value] of Object.entries(made)) assert.deepEqual(there.body[field], value, `${name}: ${field}`)
  }
  assert.equal(locations, 21)
})

test('a mailbox is found by its address in any form', async () => {
  const organization = await world.organization()

  const { address } = await organization.mailbox('ada')
  const { body: mailbox } = await organization.request('GET', `/v1/mailboxes/${encodeURIComponent(address)}`)
  assert.equal(mailbox.address, address)
  const { data } = (await organization.request('GET', '/v1/mailboxes')).body
  assert.deepEqual(data, [mailbox])
  assert.deepEqual((await organization.request('GET', `/v1/mailboxes/${address.toUpperCase()}`)).body, mailbox)
  for (const nobody of [`postmaster@${organization.domain}`, `bob@${organization.domain}`, 'ada', '%00@x.test'])
    assert.equal((await organization.request('GET', `/v1/mailboxes/${nobody}`)).status, 404, nobody)
})
