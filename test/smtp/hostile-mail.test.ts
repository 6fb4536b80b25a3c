import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hostileMail } from '#test/world/letters/hostile-mail.ts'
import { SmtpClient } from '#test/world/sockets/smtp-client.ts'
import { World } from '#test/world/world.ts'

// On one database: it is about what reads mail.

const world = await World.ofFile()
const { organization, address } = await world.mailbox('ada')

for (const [what, make] of Object.entries(hostileMail))
  test(`${what}: stored as it came or refused for good, and read back`, async () => {
    await using client = await SmtpClient.greeted(world.smtp.port)
    await client.begin('ann@peer.example', address)
    const message = Buffer.from(make(), 'latin1')
    client.write(message)
    client.write(Buffer.from('.\r\n'))
    const { code, codes } = await client.reply()
    if (code !== 250) return assert.equal(codes, '554 5.6.0')

    const list = await organization.request('GET', `/v1/messages?mailbox=${address}&limit=1`)
    const [{ uid, conversation_id: conversation }] = list.body.data
    for (const path of [`/v1/conversations/${conversation}?include=bodies&`, '/v1/threads?'])
      assert.equal((await organization.request('GET', `${path}mailbox=${address}`)).status, 200, path)
    for (const part of ['', '/headers', '/raw', '/attachments/1', '/attachments/2']) {
      const answer = await organization.request('GET', `/v1/messages/${uid}${part}?mailbox=${address}`)
      assert.ok(answer.status === 200 || (part.startsWith('/a') && answer.status === 404), `${part}: ${answer.status}`)
      // Of results that claim to be ours nothing is kept.
      const asItCame = part === '/raw' && !what.includes('forged')
      if (asItCame) assert.ok(answer.bytes.subarray(-message.length).equals(message), 'stored as it came')
    }
  })
