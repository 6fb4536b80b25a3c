// On both databases: a message is cancelled while it is sent.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AcceptingRelay } from '#test/world/mail/accepting-relay.ts'
import { insertDue, oneEach } from '#test/world/mail/due-mail.ts'
import { World } from '#test/world/world.ts'

test('of a thousand cancels against the claim each cancels its message, never sent, or is refused, sent once', async (t) => {
  const relay = new AcceptingRelay()
  await using world = await World.start({ relay })
  const { organization, address } = await world.mailbox('ada')
  const due = oneEach(1_000, new Date(world.clock.now()))
  await insertDue(world.db, { organizationId: organization.id, address }, due)
  const ids = due.map(({ id }) => id)
  let working = true
  const rounds = world.rounds.processAll().then(() => {
    working = false
  })
  const answers = new Map<string, number>()
  // Those that are cancelled next are among those that are claimed next, and for each that is asked about one goes.
  const left = ids.toSorted()
  const next = () => left.splice(Math.floor(Math.random() * Math.min(240, left.length)), 1)[0]
  const held: (() => void)[] = []
  relay.gate = () => new Promise((go) => (answers.size < ids.length ? held.push(go) : go()))
  let meetings = 0
  const cancel = async (key: string) => {
    for (let id = next(); id !== undefined; id = next()) {
      // A thousand times that is less than the lease, which is extended by the time of the machine.
      world.clock.advance(15)
      if (working) meetings++
      const { status, body } = await organization.request('DELETE', `/v1/scheduled/${id}`, undefined, { key })
      answers.set(id, status)
      for (const go of held.splice(0, answers.size < ids.length ? 1 : held.length)) go()
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
