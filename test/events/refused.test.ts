import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hand, letter } from '#test/world/letters/letter.ts'
import { privateMailbox } from '#test/world/mail/private-mailbox.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'
import { readEvents } from './furnished.ts'

const world = await World.ofFile()

/** Waits for exactly so many refusals. */
async function refusals(organization: TestOrganization, count: number, key = organization.key) {
  const found = await readEvents({ organization }, count, '?types=message.refused', key)
  return found.map(({ mailbox, refusal }) => [mailbox, refusal])
}

test('mail to an address that nobody has, from a blocked sender or author, or that fails DMARC has an event, with addresses only', async () => {
  const { organization, address } = await world.mailbox('ada')
  const { address: mine } = await privateMailbox(organization, 'grace')
  for (const pattern of ['eve@spam.example', '@junk.example'])
    assert.equal((await organization.request('POST', '/v1/blocked-senders', { pattern })).status, 201)
  world.dns.set('_dmarc.bank.example', { txt: ['v=DMARC1; p=reject'] })
  const sender = 'ann@peer.example'
  const from = (author: string) => letter({ From: author })
  assert.equal(await hand(world, sender, `nobody@${organization.domain}`), '550 5.1.1')
  assert.equal(await hand(world, 'eve@spam.example', address), '550 5.7.1')
  assert.equal(await hand(world, sender, address, from('x@junk.example')), '550 5.7.1')
  assert.equal(await hand(world, sender, address, from('boss@bank.example')), '550 5.7.26')
  assert.equal(await hand(world, 'eve@spam.example', mine), '550 5.7.1')
  assert.equal(await hand(world, sender, 'nobody@elsewhere.example'), '550 5.7.1')
  assert.equal(await hand(world, sender, address), '250 2.6.0')
  assert.deepEqual(await refusals(organization, 5), [
    [null, { sender, recipient: `nobody@${organization.domain}`, because: 'unknown' }],
    [address, { sender: 'eve@spam.example', recipient: address, because: 'blocked' }],
    [address, { sender, recipient: address, because: 'blocked' }],
    [address, { sender, recipient: address, because: 'dmarc' }],
    [mine, { sender: null, recipient: mine, because: 'blocked' }],
  ])
  const [box] = (await organization.request('GET', '/v1/mailboxes')).body.data.filter(
    (one: { address: string }) => one.address === address,
  )
  const key = await organization.restrictedKey({ mailbox_ids: [box.id] })
  assert.equal((await refusals(organization, 3, key)).length, 3, 'a restricted key hears of its mailboxes alone')
})

test('who tries out addresses does not fill the log', async () => {
  const organization = await world.organization()
  for (let count = 0; count < 110; count++) {
    // A client with many errors is disconnected.
    assert.equal(await hand(world, 'ann@peer.example', `n${count}@${organization.domain}`), '550 5.1.1')
  }
  assert.equal((await refusals(organization, 100)).length, 100)
  const { address } = await organization.mailbox('ada')
  assert.equal(await hand(world, 'ann@peer.example', address), '250 2.6.0')
  // Refusals are recorded in their order, after the replies.
  const other = await world.organization()
  assert.equal(await hand(world, 'ann@peer.example', `nobody@${other.domain}`), '550 5.1.1')
  await refusals(other, 1)
  const { body } = await organization.request('GET', '/v1/events?types=message&limit=500')
  assert.equal(body.data.filter(({ type }: { type: string }) => type === 'message.refused').length, 100)
})
