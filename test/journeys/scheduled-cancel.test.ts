import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { Delivery, Outcome, Relay } from '#/ports/relay.ts'
import { insertScheduled } from '#/scheduled/queries.ts'
import { World } from '../world.ts'

/** Takes everything, and notes for whom. */
class TakingRelay implements Relay {
  readonly taken: string[] = []

  routeOf(): string {
    return 'taking'
  }

  async deliver({ recipients, beforeDot }: Delivery): Promise<readonly Outcome[]> {
    await beforeDot(recipients)
    this.taken.push(...recipients)
    const said = { result: 'delivered', reply: '250 Ok', status: '2.0.0', reason: 'Ok' } as const
    return recipients.map((recipient) => ({ recipient, ...said, host: 'taking', ambiguous: false }))
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

test('row 27: of a thousand cancels against the claim each cancels its message, never sent, or is refused, sent once', async (t) => {
  const relay = new TakingRelay()
  await using world = await World.start({ relay, env: { MAILROOM_TICK_SECONDS: '86400' } })
  const organization = await world.organization()
  const { id: mailboxId, address } = await organization.mailbox('ada')
  const raw = Buffer.from(`From: ${address}\r\nDate: Sat, 21 Nov 2026 08:00:00 +0000\r\n\r\nHello\r\n`)
  const now = new Date(world.clock.now())
  const ids = Array.from({ length: 1_000 }, () => randomUUID())
  await world.db.transaction().execute(async (tx) => {
    for (const id of ids) {
      const recipients = [`${id}@there.example`]
      const [draft, scheduledBy] = [{ to: recipients, cc: [], bcc: [], recipients }, 'api_key'] as const
      const known = { id, organizationId: organization.id, mailboxId, from: address, subject: '', attachmentCount: 0 }
      await insertScheduled(tx, { ...known, ...draft, messageId: `<${id}@x>`, raw, scheduledBy, sendAt: now }, now)
    }
  })
  let working = true
  const rounds = world.rounds.processAll().then(() => {
    working = false
  })
  const answers = new Map<string, number>()
  // Those that are cancelled next are among those that are claimed next.
  const left = ids.toSorted()
  const next = () => left.splice(Math.floor(Math.random() * Math.min(30, left.length)), 1)[0]
  let meetings = 0
  const cancel = async (key: string) => {
    for (let id = next(); id !== undefined; id = next()) {
      world.clock.advance(110)
      if (working) meetings++
      const { status, body } = await organization.request('DELETE', `/v1/scheduled/${id}`, undefined, { key })
      answers.set(id, status)
      // Once it is sent it is no longer there.
      if (status !== 200)
        assert.ok(status === 404 || (status === 400 && /sending/.test(body.error.message)), `${status}`)
    }
  }
  const keys = await Promise.all(Array.from({ length: 4 }, () => organization.newKey('scheduled:write')))
  await Promise.all(keys.map(cancel))
  await rounds
  await world.rounds.processAll()
  const cancelled = ids.filter((id) => answers.get(id) === 200)
  const sent = relay.taken.map((recipient) => recipient.split('@')[0] ?? '')
  t.diagnostic(`${cancelled.length} cancelled, ${sent.length} sent, ${meetings} asked while the round went on`)
  assert.ok(
    cancelled.length > 0 && sent.length > 0 && meetings > 0,
    `${cancelled.length} cancelled, ${sent.length} sent`,
  )
  assert.deepEqual(sent.toSorted(), ids.filter((id) => answers.get(id) !== 200).toSorted())
  assert.deepEqual((await organization.request('GET', '/v1/scheduled')).body.data, [])
  const { total } = (await organization.request('GET', `/v1/messages?mailbox=${address}&folder=sent`)).body
  assert.equal(total, sent.length)
})
