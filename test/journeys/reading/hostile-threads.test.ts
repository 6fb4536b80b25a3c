import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hand, letter } from '#test/mail/letter.ts'
import { World } from '#test/world/world.ts'

test('a message of 100,000 references that arrives by SMTP is accepted and read', async () => {
  await using world = await World.start()
  const { organization, address } = await world.mailbox('ada')
  const References = Array.from({ length: 100_000 }, (_, number) => `<${number}@x.example>`).join('\r\n ')
  assert.equal(await hand(world, 'ann@peer.example', address, letter({ References })), '250 2.6.0')
  const { body } = await organization.request('GET', `/v1/threads?mailbox=${address}`)
  assert.deepEqual([body.total, body.data[0].uids], [1, [1]])
})
