import assert from 'node:assert/strict'
import { test } from 'node:test'
import { entriesOf } from '#/base/audit/queries.ts'
import { each } from '#test/world/each.ts'
import { hand, letter, messagesIn } from '#test/world/letters/letter.ts'
import { deliveryReport } from '#test/world/letters/report.ts'
import { sendingWorld } from '#test/world/sending-world.ts'
import { logged } from './logged.ts'

const { world, sink } = await sendingWorld()

async function withMailbox(plan?: string) {
  const organization = await world.organization({ ...(plan !== undefined && { plan }) })
  const { address } = await organization.mailbox('ada')
  const send = async (to: string | readonly string[]) => {
    const message = { from: address, to, subject: 'Hello', text: 'Hello' }
    const answer = await organization.request('POST', '/v1/send', message)
    await world.outbound.processAll()
    return answer
  }
  /** Has a server refuse so many with this reply; answers the suppressions. */
  const refuse = async (to: string, replies: readonly (string | undefined)[]) => {
    for (const reply of replies) {
      sink.act = (step) => (step === 'rcpt' ? reply : undefined)
      const { status } = await send(to)
      assert.equal(status, 202)
    }
    sink.act = () => undefined
    sink.taken.splice(0)
    return await suppressed()
  }
  const list = async (query: Record<string, string> = {}) => {
    return await organization.bodyOf(200, 'GET', `/v1/suppressions?${new URLSearchParams(query)}`)
  }
  const suppressed = async (query?: Record<string, string>): Promise<string[]> =>
    (await list(query)).data.map((one: { address: string }) => one.address)
  const states = async (id: string) => {
    const { recipients } = (await organization.request('GET', `/v1/sent/${id}`)).body
    return recipients.map((one: Record<string, string>) => `${one.address?.split('@')[0]} ${one.state}`).sort()
  }
  return { organization, address, send, refuse, list, suppressed, states }
}

const unknown = '550 5.1.1 User unknown'
const bob = 'bob@there.example'

for (const [what, replies, expected] of [
  ['twice', [unknown, unknown], [bob]],
  ['twice, without a code', ['550 No such user', '553 No'], [bob]],
  ['once', [unknown], []],
  ['with mail that was delivered in between', [unknown, undefined, unknown], []],
  ['twice after mail that was delivered', [unknown, undefined, unknown, unknown], [bob]],
  ['for what a message says', ['550 5.7.1 Spam', '550 5.7.1 Spam', '554 Spam', '554 Spam'], []],
  ['for a full mailbox', ['552 5.2.2 Full', '552 5.2.2 Full'], []],
  ['for our own address', ['550 5.1.8 Bad sender', '550 5.1.8 Bad sender'], []],
] as const)
  test(`an address that refuses ${what} is ${expected.length > 0 ? 'suppressed' : 'sent to again'}`, async () => {
    const { refuse } = await withMailbox()
    assert.deepEqual(await refuse(bob, replies), expected)
  })

test('a recipient who is suppressed is refused at once, and the others get the message', async () => {
  const { organization, address, refuse, send, states } = await withMailbox()
  await refuse(bob, [unknown, unknown])
  const before = (await messagesIn(organization, address)).length
  const { status, body } = await send(['Bob <BOB@there.example>', 'ann@there.example'])
  assert.deepEqual([status, body.status, body.refused[0].address, body.refused.length], [202, 'queued', bob, 1])
  assert.match(body.refused[0].reason, /^Nothing is sent to this address/)
  assert.deepEqual(each(sink.taken.splice(0), 'to'), [['ann@there.example']])
  assert.deepEqual(await states(body.id), ['ann delivered', 'bob bounced'])
  const bounces = await logged(organization, 'message.bounced')
  assert.deepEqual([bounces.length, bounces.at(-1).sending.id], [3, body.id])
  assert.equal((await messagesIn(organization, address)).length, before + 1, 'a notice tells of it')
  const alone = await send(bob)
  assert.deepEqual([alone.status, alone.body.error.field], [400, 'to'])
  assert.ok(!('refused' in (await send('ann@there.example')).body))
})

test('where all are suppressed and the allowance is used up, the recipients are the fault', async () => {
  const plan = { name: 'two', domains: 5, mailboxes: 5, storage_bytes: 1_000_000, sends_per_day: 2 }
  await world.db.insertInto('plans').values(plan).execute()
  const { refuse, send } = await withMailbox('two')
  await refuse(bob, [unknown, unknown])
  const [alone, both] = [await send(bob), await send([bob, 'ann@there.example'])]
  assert.deepEqual([alone.status, alone.body.error.field], [400, 'to'])
  assert.deepEqual([both.status, both.body.error.code], [402, 'quota_exceeded'])
})

test('it is suppressed for its organization alone', async () => {
  const [one, other] = [await withMailbox(), await withMailbox()]
  await one.refuse(bob, [unknown, unknown])
  sink.act = () => undefined
  assert.deepEqual([(await other.send(bob)).status, await other.suppressed()], [202, []])
  assert.equal((await other.organization.request('DELETE', `/v1/suppressions/${bob}`)).status, 404)
})

test('one that is taken off the list is sent to again, and its bounces are counted from zero', async () => {
  const { organization, refuse, send, suppressed } = await withMailbox()
  await refuse(bob, [unknown, unknown])
  const { status, body } = await organization.request('DELETE', '/v1/suppressions/BOB%40there.example')
  assert.deepEqual([status, body], [200, { deleted: true, address: bob }])
  assert.equal((await organization.request('DELETE', `/v1/suppressions/${bob}`)).status, 404)
  assert.equal((await organization.request('DELETE', '/v1/suppressions/nobody')).status, 404)
  const [entry] = await entriesOf(world.db, organization.id, { action: 'suppression.deleted' }, 1)
  assert.deepEqual([entry?.item.name, entry?.before], [bob, { cause: 'bounced' }])
  assert.equal((await send(bob)).status, 202)
  assert.deepEqual([await refuse(bob, [unknown]), await suppressed()], [[], []])
})

test('the list has the newest first, with what the server said, and is searched', async () => {
  const { address, refuse, list, suppressed } = await withMailbox()
  for (const name of ['ann', 'bob', 'cy']) await refuse(`${name}@there.example`, [unknown, unknown])
  assert.deepEqual(await suppressed(), ['cy@there.example', bob, 'ann@there.example'])
  assert.deepEqual(await suppressed({ search: 'BO' }), [bob])
  assert.deepEqual(await suppressed({ search: '%' }), [])
  const first = await list({ limit: '2', cursor: '' })
  const second = await list({ limit: '2', cursor: first.next_cursor })
  assert.deepEqual([first.data.length, second.data.length, second.next_cursor], [2, 1, null])
  const [{ suppressed_at: at, ...cy }] = first.data
  assert.ok(at)
  const said = { cause: 'bounced', code: '5.1.1', reply: unknown, mailbox: address }
  assert.deepEqual(cy, { address: 'cy@there.example', ...said })
})

test('what comes back later counts, and a complaint counts at once; of several recipients neither does', async () => {
  const { organization, send, suppressed } = await withMailbox()
  sink.act = () => undefined
  const returned = async (to: string | readonly string[], message: (bounce: string) => string) => {
    await send(to)
    const bounce = sink.taken.splice(0)[0]?.from ?? ''
    assert.equal(await hand(world, '', bounce, message(bounce)), '250 2.6.0')
  }
  const report = (name: string) => () => {
    const said = deliveryReport().replaceAll('ada@away.example', name)
    return said.replace('Status: 5.1.1\r\n', 'Status: 5.1.1\r\nDiagnostic-Code: smtp; 550 5.1.1 Nobody\r\n')
  }
  const complaint = (bounce: string) =>
    letter(
      { 'MIME-Version': '1.0', 'Content-Type': 'multipart/report; report-type=feedback-report; boundary="=_b"' },
      `--=_b\r\nContent-Type: message/feedback-report\r\n\r\nFeedback-Type: abuse\r\nOriginal-Mail-From: ${bounce}\r\n` +
        'Original-Rcpt-To: cy@there.example\r\n\r\n--=_b--\r\n',
    )
  for (let count = 0; count < 2; count++) await returned([bob, 'eve@there.example'], report(bob))
  await returned(['cy@there.example', 'eve@there.example'], complaint)
  await returned(bob, report(bob))
  assert.deepEqual(await suppressed(), [])
  await returned(bob, report(bob))
  await returned('cy@there.example', complaint)
  assert.deepEqual(await suppressed(), ['cy@there.example', bob])
  const { data } = (await organization.request('GET', '/v1/suppressions')).body
  assert.deepEqual([data[0].cause, data[1].cause], ['complained', 'bounced'])
})

test('a scheduled message to suppressed recipients alone fails, and one that everybody refused counts', async () => {
  const { organization, address, suppressed } = await withMailbox()
  const schedule = async () => {
    const send_at = new Date(world.clock.now() + 60_000).toISOString()
    const one = { from: address, to: bob, text: 'Hello', send_at }
    const { body } = await organization.request('POST', '/v1/scheduled', one)
    await world.advance(400_000)
    await world.rounds.processAll()
    return (await organization.request('GET', `/v1/scheduled/${body.id}`)).body
  }
  sink.act = (step) => (step === 'rcpt' ? unknown : undefined)
  for (let count = 0; count < 2; count++) assert.equal((await schedule()).status, 'failed')
  assert.deepEqual(await suppressed(), [bob])
  const lines = sink.lines.length
  const { status, last_error } = await schedule()
  assert.deepEqual([status, sink.lines.length], ['failed', lines])
  assert.match(last_error, /Nothing is sent to this address/)
})

test('forwarded mail and auto-replies go to no suppressed address', async () => {
  const { organization, address, refuse } = await withMailbox()
  await refuse(bob, [unknown, unknown])
  const settings = { mailbox: address, forward_to: bob, forward_enabled: true, reply_enabled: true, reply_body: 'Away' }
  assert.equal((await organization.request('PATCH', '/v1/forwarding', settings)).status, 200)
  world.dns.set('there.example', { txt: ['v=spf1 ip4:127.0.0.1 -all'] })
  assert.equal(await hand(world, bob, address, letter({ From: bob, To: address })), '250 2.6.0')
  await world.outbound.processAll()
  assert.deepEqual(sink.taken.splice(0), [])
  const waiting = world.db.selectFrom('outbound_recipients').selectAll().where('organization_id', '=', organization.id)
  assert.deepEqual(await waiting.execute(), [])
})
