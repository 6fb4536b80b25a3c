import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { hostileMail } from '#test/mail/hostile-mail.ts'
import { HoldWatch } from '#test/observe/hold-watch.ts'
import { SmtpClient } from '#test/sockets/smtp-client.ts'
import { limitFor } from '#test/world/limit-for.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'

// On one database: it measures the thread that reads mail.

let world: World
let organization: TestOrganization
let address: string
before(async () => {
  world = await World.start()
  organization = await world.organization()
  address = (await organization.mailbox('ada')).address
})
after(() => world[Symbol.asyncDispose]())

/** Milliseconds of CPU time, so that other programs on a busy machine do not count. */
const longestHold = 100
const mostCpu = limitFor(1_000)

for (const [what, make] of Object.entries(hostileMail)) {
  test(`row 14: ${what}: stored or refused within a second, and read back; others have their turn`, async () => {
    await using client = await readyForData()
    const message = Buffer.from(make(), 'latin1')
    const end = Buffer.from('.\r\n')
    using watch = new HoldWatch()
    const before = process.cpuUsage()
    client.write(message)
    client.write(end)
    const { code, status } = await client.reply()
    const { user, system } = process.cpuUsage(before)
    assert.ok(user + system < 1_000 * mostCpu, `took ${(user + system) / 1_000} ms`)
    await assertNeverHeld(watch, 'SMTP')
    if (code !== 250) return assert.equal(`${code} ${status}`, '554 5.6.0')

    const list = await organization.request('GET', `/v1/messages?mailbox=${address}&limit=1`)
    const [{ uid, conversation_id: conversation }] = list.body.data
    const path = `/v1/messages/${uid}`
    watch.reset()
    const whole = `/v1/conversations/${conversation}?mailbox=${address}&include=bodies`
    assert.equal((await organization.request('GET', whole)).status, 200)
    await assertNeverHeld(watch, 'GET /v1/conversations')
    for (const part of ['', '/headers', '/raw', '/attachments/1', '/attachments/2']) {
      const answer = await organization.request('GET', `${path}${part}?mailbox=${address}`)
      assert.ok(answer.status === 200 || (part.startsWith('/a') && answer.status === 404), `${part}: ${answer.status}`)
      // Of results that claim to be ours nothing is kept.
      const asItCame = part === '/raw' && !what.includes('forged')
      if (asItCame) assert.ok(answer.bytes.subarray(-message.length).equals(message), 'stored as it came')
      await assertNeverHeld(watch, `GET ${part}`)
    }
    assert.equal((await organization.request('GET', `/v1/threads?mailbox=${address}`)).status, 200)
    await assertNeverHeld(watch, 'GET /v1/threads')
  })
}

async function readyForData(): Promise<SmtpClient> {
  const client = await SmtpClient.greeted(world.smtp.port)
  for (const line of ['MAIL FROM:<ann@peer.example>', `RCPT TO:<${address}>`, 'DATA']) await client.say(line)
  return client
}

async function assertNeverHeld(watch: HoldWatch, what: string): Promise<void> {
  const longest = await watch.settle()
  assert.ok(longest < longestHold, `${what} held the event loop for ${longest} ms`)
  watch.reset()
}
