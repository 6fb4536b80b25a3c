// On both databases: workers lease messages from each other.
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { byOperator } from '#/base/audit/actor.ts'
import { removeMailbox } from '#/mail/mailboxes/remove.ts'
import { each } from '#test/world/each.ts'
import { sendingWorld } from '#test/world/sending-world.ts'
import type { Act } from '#test/world/sockets/sink.ts'

const minute = 60_000

const { world, sink, ...first } = await sendingWorld()
let { organization, ada } = first
beforeEach(async () => {
  sink.act = () => undefined
  sink.taken.length = 0
  organization = await world.organization()
  ada = (await organization.mailbox('ada')).address
})

/** The answer to a message that is due now. */
function scheduled(body: object = {}) {
  const given = {
    from: ada,
    to: 'bob@there.example',
    text: 'Hello',
    send_at: new Date(world.clock.now()).toISOString(),
  }
  return organization.bodyOf(201, 'POST', '/v1/scheduled', { ...given, ...body })
}

const schedule = async (body?: object): Promise<string> => (await scheduled(body)).id

async function round(): Promise<void> {
  await world.rounds.processAll()
  // A round may be that far away: what was tried just before one waits for the one after.
  await world.advance(8 * minute)
}

/** Makes rounds until the message is no longer being sent, and answers how many it took. */
async function rounds(id: string): Promise<number> {
  for (let count = 1; ; count++) {
    await round()
    const status = (await shown(id))?.status
    if (status !== 'sending' && status !== 'pending') return count
    assert.ok(count < 10)
  }
}

async function shown(id: string) {
  const { data } = (await organization.request('GET', '/v1/scheduled')).body
  return data.find((one: { id: string }) => one.id === id)
}

async function subjects(folder: string, address = ada): Promise<string[]> {
  const { data } = (await organization.request('GET', `/v1/messages?mailbox=${address}&folder=${folder}`)).body
  return each(data, 'subject')
}

const retry = (id: string) => organization.request('POST', `/v1/scheduled/${id}/retry`)

async function sentToday(): Promise<number> {
  return (await organization.request('GET', '/v1/usage')).body.sending.sent_today
}

async function queued(): Promise<number> {
  return (await world.db.selectFrom('outbound_messages').select('id').where('state', '<>', 'failed').execute()).length
}

/** Tells the sink how to answer once a message is whole, or at RCPT for one recipient. */
function answers(endOfData: Act | undefined, rcpt: Readonly<Record<string, Act>> = {}): void {
  sink.act = (step, { recipient }) =>
    step === 'end of data' ? endOfData : step === 'rcpt' ? rcpt[recipient] : undefined
}

test('deferred three times it has failed, says why, and one attempt is not made; the allowance is claimed once', async () => {
  let attempts = 0
  sink.act = (step) => {
    if (step !== 'end of data') return undefined
    attempts++
    return '451 4.7.1 Come again'
  }
  const id = await schedule()
  await round()
  assert.deepEqual([attempts, (await shown(id)).status], [1, 'sending'])
  const cancel = () => organization.request('DELETE', `/v1/scheduled/${id}`)
  for (const { status, body } of [await cancel(), await retry(id)]) {
    assert.deepEqual([status, body.error.field], [400, 'id'])
    assert.match(body.error.message, /is sending/)
  }
  assert.equal(await rounds(id), 2)
  const { status, last_error } = await shown(id)
  assert.deepEqual([attempts, status], [3, 'failed'])
  assert.match(last_error, /^bob@there\.example: .*said: 451 4\.7\.1 Come again$/)
  await round()
  assert.match((await cancel()).body.error.message, /is failed/)
  assert.deepEqual([attempts, await queued(), await sentToday()], [3, 0, 1])
  assert.deepEqual(await subjects('sent'), [])
})

test('a failed message is sent when it is asked for, under the same Message-ID', async () => {
  answers('550 5.7.1 No')
  const id = await schedule({ subject: 'Again' })
  sink.act = (step) => (step === 'end of data' ? { reply: '550 5.7.1 No', keep: true } : undefined)
  await round()
  const seen = /^Message-ID: .*$/m.exec(sink.taken.pop()?.bytes.toString() ?? '')?.[0]
  assert.ok(seen?.includes(id))
  answers(undefined)
  const { status, body } = await retry(id)
  const send_at = new Date(world.clock.now()).toISOString()
  assert.equal(status, 200)
  assert.partialDeepStrictEqual(body, { status: 'pending', last_error: null, send_at })
  await round()
  assert.ok(sink.taken[0]?.bytes.includes(seen ?? ''))
  assert.equal(await shown(id), undefined)
  assert.deepEqual(await subjects('sent'), ['Again'])
})

for (const [what, then] of [
  ['deferred three times', '451 4.7.1 Come again'],
  ['refused', '550 5.7.1 No'],
] as const)
  test(`one that a mail host took without saying so, and that was ${what} later, says that it may have arrived; its copy in Sent is marked`, async () => {
    answers({ next: 'hang up', keep: true })
    const id = await schedule({ subject: 'Doubt', bcc: 'eve@there.example' })
    await round()
    assert.equal(sink.taken.length, 1)
    const doubt =
      /; the message may or may not have been delivered\. (It may have arrived: .* no reply had come by \S+Z)$/
    const [, since = 'nothing'] = doubt.exec((await shown(id)).last_error) ?? []
    answers(then)
    await rounds(id)
    const { status, last_error } = await shown(id)
    assert.deepEqual([status, await queued()], ['failed', 0])
    assert.match(last_error, new RegExp(`^bob@there\\.example .* said: ${then}\\. `))
    assert.ok(last_error.endsWith(since), last_error)
    const { data } = (await organization.request('GET', `/v1/messages?mailbox=${ada}&folder=sent`)).body
    assert.deepEqual(each(data, 'subject', 'starred', 'unread'), [['Doubt', true, true]])
    const raw = await organization.request('GET', `/v1/messages/${data[0].uid}/raw?mailbox=${ada}&folder=sent`)
    const front = `Comments: ${since}\r\nBcc: eve@there.example\r\n`
    assert.equal(raw.bytes.toString(), front + sink.taken[0]?.bytes)
  })

test('one that nobody was sent whole has no copy in Sent when it fails', async () => {
  sink.act = (step) => (step === 'content' ? { next: 'hang up' } : undefined)
  const id = await schedule()
  await rounds(id)
  assert.doesNotMatch((await shown(id)).last_error, /may have arrived/)
  assert.deepEqual(await subjects('sent'), [])
})

test('refused for good by everyone it has failed at once, and by some it is sent, and a notice names them', async () => {
  answers(undefined, { 'bob@there.example': '550 5.1.1 Nobody', 'cy@there.example': '550 5.1.1 Nobody' })
  const refused = await schedule({ to: ['bob@there.example', 'cy@there.example'] })
  assert.equal(await rounds(refused), 1)
  const { last_error } = await shown(refused)
  assert.match(last_error, /^bob@there\.example \(and 1 more\): .*550 5\.1\.1 Nobody$/)
  assert.deepEqual([await queued(), await subjects('sent'), await subjects('inbox')], [0, [], []])

  answers(undefined, { 'bob@there.example': '550 5.1.1 Nobody' })
  const id = await schedule({ to: ['bob@there.example', 'cy@there.example'], subject: 'Half' })
  assert.equal(await rounds(id), 1)
  assert.equal(await shown(id), undefined)
  assert.deepEqual(each(sink.taken, 'to'), [['cy@there.example']])
  assert.deepEqual(await subjects('sent'), ['Half'])
  assert.deepEqual(await subjects('inbox'), ['Undelivered mail returned to its sender'])
  assert.equal(await queued(), 0)
})

test('deferred for some recipients it is sent, and those get it later, as any mail', async () => {
  answers(undefined, { 'bob@there.example': '450 4.2.1 Later' })
  const id = await schedule({ to: ['bob@there.example', 'cy@there.example'], subject: 'Half' })
  assert.equal(await rounds(id), 1)
  assert.deepEqual([await shown(id), await subjects('sent'), await queued()], [undefined, ['Half'], 1])
  answers(undefined)
  await round()
  assert.deepEqual(each(sink.taken, 'to'), [['cy@there.example'], ['bob@there.example']])
  assert.ok(sink.taken[0]?.bytes.equals(sink.taken[1]?.bytes ?? Buffer.alloc(0)))
  assert.deepEqual([await subjects('sent'), await subjects('inbox'), await queued()], [['Half'], [], 0])
})

test('a domain that has mail scheduled from it is removed once its mailboxes are, and the mail fails', async () => {
  const { data } = (await organization.request('GET', '/v1/domains')).body
  const id = await schedule()
  assert.equal((await organization.request('DELETE', `/v1/domains/${data[0].id}`)).status, 400)
  const { data: mailboxes } = (await organization.request('GET', '/v1/mailboxes')).body
  const mailbox = { organizationId: organization.id, mailboxId: mailboxes[0].id }
  await removeMailbox({ db: world.db }, mailbox, byOperator, () => {})
  assert.equal((await organization.request('DELETE', `/v1/domains/${data[0].id}`)).status, 200)
  assert.equal(await rounds(id), 3)
  assert.deepEqual([(await shown(id)).status, (await shown(id)).from], ['failed', ada])
})

test('where the end of an attempt cannot be written down for a while it is not sent again', async () => {
  await sql`
    create function refuse_end() returns trigger language plpgsql as $$ begin raise exception 'not now'; end $$`.execute(
    world.db,
  )
  await sql`create trigger never before delete on outbound_messages for each row execute function refuse_end()`.execute(
    world.db,
  )
  const id = await schedule({ subject: 'Once' })
  const working = world.rounds.processAll()
  await sink.until(({ taken }) => taken.length === 1)
  await sql`drop trigger never on outbound_messages`.execute(world.db)
  await working
  assert.deepEqual([sink.taken.length, await shown(id), await subjects('sent')], [1, undefined, ['Once']])
})
