import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { byOperator } from '#/audit/actor.ts'
import { removeMailbox } from '#/mailboxes/remove.ts'
import { forgetFailed } from '#/queue/scheduled.ts'
import { sealedFields } from '#/queue/sealed.ts'
import { dropWaiting } from '#/queue/waiting.ts'
import { type Act, Sink } from '#test/sockets/sink.ts'
import { mailKey } from '#test/world/installation.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'

const minute = 60_000

let sink: Sink
let world: World
let organization: TestOrganization
let ada: string
before(async () => {
  sink = await Sink.start()
  // Without a worker of its own: rounds are made when the test says so.
  world = await World.start({ sink, env: { MAILROOM_ROLES: 'api,mx' } })
})
after(async () => {
  await world[Symbol.asyncDispose]()
  await sink[Symbol.asyncDispose]()
})
beforeEach(async () => {
  sink.act = () => undefined
  sink.taken.length = 0
  organization = await world.organization()
  ada = (await organization.mailbox('ada')).address
})

async function schedule(body: object = {}, of = organization): Promise<string> {
  const given = {
    from: ada,
    to: 'bob@there.example',
    text: 'Hello',
    send_at: new Date(world.clock.now()).toISOString(),
  }
  const { status, body: answer } = await of.request('POST', '/v1/scheduled', { ...given, ...body })
  assert.equal(status, 201, JSON.stringify(answer))
  return answer.id
}

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
  return data.map(({ subject }: { subject: string }) => subject)
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

test('row 29: deferred three times it has failed, says why, and one attempt is not made; the allowance is claimed once', async () => {
  let attempts = 0
  sink.act = (step) => {
    if (step !== 'end of data') return undefined
    attempts++
    return '451 4.7.1 Come again'
  }
  const id = await schedule()
  await round()
  assert.deepEqual([attempts, (await shown(id)).status], [1, 'sending'])
  assert.equal((await organization.request('DELETE', `/v1/scheduled/${id}`)).body.error.code, 'invalid_request')
  assert.equal((await retry(id)).body.error.code, 'invalid_request')
  assert.equal(await rounds(id), 2)
  const { status, last_error } = await shown(id)
  assert.deepEqual([attempts, status], [3, 'failed'])
  assert.match(last_error, /^bob@there\.example: .*said: 451 4\.7\.1 Come again$/)
  await round()
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
  assert.deepEqual(
    [status, body.status, body.last_error, body.send_at],
    [200, 'pending', null, new Date(world.clock.now()).toISOString()],
  )
  await round()
  assert.ok(sink.taken[0]?.bytes.includes(seen ?? ''))
  assert.equal(await shown(id), undefined)
  assert.deepEqual(await subjects('sent'), ['Again'])
})

test('row 29: refused for good by everyone it has failed at once', async () => {
  answers(undefined, { 'bob@there.example': '550 5.1.1 Nobody', 'cy@there.example': '550 5.1.1 Nobody' })
  const id = await schedule({ to: ['bob@there.example', 'cy@there.example'] })
  assert.equal(await rounds(id), 1)
  const { status, last_error } = await shown(id)
  assert.equal(status, 'failed')
  assert.match(last_error, /^bob@there\.example \(and 1 more\): .*550 5\.1\.1 Nobody$/)
  assert.deepEqual([await queued(), await subjects('sent'), await subjects('inbox')], [0, [], []])
})

for (const [what, then] of [
  ['deferred three times', '451 4.7.1 Come again'],
  ['refused', '550 5.7.1 No'],
] as const) {
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
    assert.deepEqual(
      data.map(({ subject, starred, unread }: Record<string, unknown>) => [subject, starred, unread]),
      [['Doubt', true, true]],
    )
    const raw = await organization.request('GET', `/v1/messages/${data[0].uid}/raw?mailbox=${ada}&folder=sent`)
    const front = `Comments: ${since}\r\nBcc: eve@there.example\r\n`
    assert.equal(raw.bytes.toString(), front + sink.taken[0]?.bytes)
  })
}

test('one that nobody was sent whole has no copy in Sent when it fails', async () => {
  sink.act = (step) => (step === 'content' ? { next: 'hang up' } : undefined)
  const id = await schedule()
  await rounds(id)
  assert.doesNotMatch((await shown(id)).last_error, /may have arrived/)
  assert.deepEqual(await subjects('sent'), [])
})

test('refused by some it is sent, and a notice names them', async () => {
  answers(undefined, { 'bob@there.example': '550 5.1.1 Nobody' })
  const id = await schedule({ to: ['bob@there.example', 'cy@there.example'], subject: 'Half' })
  assert.equal(await rounds(id), 1)
  assert.equal(await shown(id), undefined)
  assert.deepEqual(
    sink.taken.map(({ to }) => to),
    [['cy@there.example']],
  )
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
  assert.deepEqual(
    sink.taken.map(({ to }) => to),
    [['cy@there.example'], ['bob@there.example']],
  )
  assert.ok(sink.taken[0]?.bytes.equals(sink.taken[1]?.bytes ?? Buffer.alloc(0)))
  assert.deepEqual([await subjects('sent'), await subjects('inbox'), await queued()], [['Half'], [], 0])
})

test('mail to here and to elsewhere is one message: it waits for neither if none is delivered', async () => {
  const bea = (await organization.mailbox('bea')).address
  answers('451 4.7.1 Come again')
  const id = await schedule({ to: [bea, 'bob@there.example'], subject: 'Both' })
  assert.equal(await rounds(id), 1)
  assert.deepEqual([await subjects('inbox', bea), await subjects('sent'), await queued()], [['Both'], ['Both'], 1])
  answers(undefined)
  await round()
  assert.deepEqual(
    sink.taken.map(({ to }) => to),
    [['bob@there.example']],
  )
})

test('a relay that cannot be reached is tried three times', async () => {
  sink.act = (step) => (step === 'connect' || step === 'mail' ? { next: 'reset' } : undefined)
  const id = await schedule()
  assert.equal(await rounds(id), 3)
  assert.equal((await shown(id)).status, 'failed')
  assert.match((await shown(id)).last_error, /^bob@there\.example: /)
})

test('what is promised for a day begins at midnight UTC, and ends before the next', async () => {
  const plan = { name: 'one', domains: 5, mailboxes: 5, storage_bytes: 1_000_000, sends_per_day: 1 }
  await world.db.insertInto('plans').values(plan).execute()
  const own = await world.organization({ plan: 'one' })
  const { address } = await own.mailbox('ada')
  const day = Math.ceil(world.clock.now() / 86_400_000 + 1) * 86_400_000
  const warned = async (at: number) => {
    const message = { from: address, to: 'bob@there.example', text: '', send_at: new Date(at).toISOString() }
    const { status, body } = await own.request('POST', '/v1/scheduled', message)
    assert.equal(status, 201)
    return body.warnings.length > 0
  }
  assert.equal(await warned(day + 86_400_000), false)
  assert.equal(await warned(day), false)
  assert.equal(await warned(day + 86_399_999), true)
  await world.db.deleteFrom('outbound_messages').where('organization_id', '=', own.id).execute()
})

test('a day whose allowance is full fails it after three attempts, in the documented words', async () => {
  const plan = { name: 'two', domains: 5, mailboxes: 5, storage_bytes: 1_000_000, sends_per_day: 2 }
  await world.db.insertInto('plans').values(plan).execute()
  await world.db.updateTable('organizations').set({ plan: 'two' }).where('id', '=', organization.id).execute()
  const two = { to: ['bob@there.example', 'cy@there.example'] }
  const sendAt = new Date(world.clock.now()).toISOString()
  const first = (await organization.request('POST', '/v1/scheduled', { from: ada, text: '', send_at: sendAt, ...two }))
    .body
  assert.deepEqual(first.warnings, [], 'the whole allowance may be promised')
  const second = (await organization.request('POST', '/v1/scheduled', { from: ada, text: '', send_at: sendAt, ...two }))
    .body
  assert.equal(second.warnings.length, 1)
  assert.match(second.warnings[0], /already promised/)
  await world.db
    .updateTable('outbound_messages')
    .set({ send_at: new Date(world.clock.now() - 1) })
    .where('id', '=', first.id)
    .execute()
  await round()
  const { status, last_error } = await shown(second.id)
  assert.deepEqual([status, last_error, sink.taken.length], ['sending', 'Daily sending allowance reached', 1])
  assert.equal(await rounds(second.id), 2)
  assert.deepEqual(
    [(await shown(second.id)).status, (await shown(second.id)).last_error],
    ['failed', 'Daily sending allowance reached'],
  )
  assert.equal(await sentToday(), 2)
})

test('nothing is sent for a suspended or deleted mailbox, and the error says why', async () => {
  const bea = await organization.mailbox('bea')
  const [suspended, gone] = [await schedule(), await schedule({ from: bea.address })]
  await world.db.updateTable('mailboxes').set({ suspended_at: new Date() }).where('address', '=', ada).execute()
  const mailbox = { organizationId: organization.id, mailboxId: bea.id }
  await removeMailbox({ db: world.db, mailHost: world.mailHost }, mailbox, byOperator, () => {})
  assert.equal(await rounds(suspended), 3)
  assert.deepEqual(
    [(await shown(suspended)).last_error, (await shown(gone)).last_error],
    [`${ada} is suspended`, `The mailbox ${bea.address} is gone`],
  )
  assert.deepEqual(sink.taken, [])
})

test('a domain that has mail scheduled from it is removed once its mailboxes are, and the mail fails', async () => {
  const { data } = (await organization.request('GET', '/v1/domains')).body
  const id = await schedule()
  assert.equal((await organization.request('DELETE', `/v1/domains/${data[0].id}`)).status, 400)
  const { data: mailboxes } = (await organization.request('GET', '/v1/mailboxes')).body
  const mailbox = { organizationId: organization.id, mailboxId: mailboxes[0].id }
  await removeMailbox({ db: world.db, mailHost: world.mailHost }, mailbox, byOperator, () => {})
  assert.equal((await organization.request('DELETE', `/v1/domains/${data[0].id}`)).status, 200)
  assert.equal(await rounds(id), 3)
  assert.deepEqual([(await shown(id)).status, (await shown(id)).from], ['failed', ada])
})

test('row 29: where the copy for Sent cannot be stored it is not sent again, and the copy comes once', async () => {
  await sql`
    create function refuse_mail() returns trigger language plpgsql as
      $$ begin raise exception 'the mail host is away'; end $$`.execute(world.db)
  await sql`create trigger away before insert on mail_messages for each row execute function refuse_mail()`.execute(
    world.db,
  )
  const id = await schedule({ subject: 'Late copy' })
  await round()
  await round()
  assert.deepEqual([sink.taken.length, await shown(id), await subjects('sent')], [1, undefined, []])
  await sql`drop trigger away on mail_messages`.execute(world.db)
  await round()
  await round()
  assert.deepEqual([sink.taken.length, await subjects('sent'), await queued()], [1, ['Late copy'], 0])
  assert.deepEqual(await world.db.selectFrom('outbound_messages').select('id').where('id', '=', id).execute(), [])
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

test('it fails when an operator removes it from the queue', async () => {
  answers('451 4.7.1 Come again')
  const id = await schedule()
  await world.rounds.processAll()
  await world.db.transaction().execute((tx) => dropWaiting(tx, id))
  const { status, last_error } = await shown(id)
  assert.deepEqual([status, last_error, await queued()], ['failed', 'Removed from the queue by the operator', 0])
})

test('what failed is listed for 30 days', async () => {
  answers('550 5.7.1 No')
  const id = await schedule()
  await rounds(id)
  const failedAt = world.clock.now() - 8 * minute
  await forgetFailed(world.db, new Date(failedAt + 30 * 86_400_000 - 1_000))
  assert.equal((await shown(id)).status, 'failed')
  await forgetFailed(world.db, new Date(failedAt + 30 * 86_400_000))
  assert.equal(await shown(id), undefined)
})

test('the list is soonest first, at most 200, with what members queued in the web app', async () => {
  const row = {
    ...{ organization_id: organization.id, sender: ada, size_bytes: 0 },
    ...{ smtp_utf8: false, eight_bit: false, attachment_count: 0, kind: 'scheduled' as const },
    ...{ state: 'scheduled' as const, scheduled_by: 'member' as const },
  }
  const start = world.clock.now() + 86_400_000
  const rows = Array.from({ length: 201 }, (_, n) => {
    const at = new Date(start - n * minute)
    const to = [`r${n}@there.example`]
    const id = crypto.randomUUID()
    const fields = sealedFields(mailKey, id, { to, cc: [], bcc: [], subject: '' })
    return { ...row, id, fields, send_at: at, queued_at: at, created_at: at }
  })
  await world.db.insertInto('outbound_messages').values(rows).execute()
  const { data } = (await organization.request('GET', '/v1/scheduled')).body
  assert.equal(data.length, 200)
  assert.deepEqual([data[0].to, data[199].to], [['r200@there.example'], ['r1@there.example']])
  assert.equal(data[0].scheduled_by, 'member')
  await world.db.deleteFrom('outbound_messages').where('organization_id', '=', organization.id).execute()
})

test('a round claims what another worker had locked first and released', async () => {
  const ids = [await schedule(), await schedule()]
  let making: Promise<void> | undefined
  await world.db.transaction().execute(async (tx) => {
    await sql`select from outbound_messages where id = any (${ids}::uuid[]) for update`.execute(tx)
    making = round()
    await sql`select pg_sleep(0.2)`.execute(tx)
  })
  await making
  assert.deepEqual([sink.taken.length, await shown(ids[0] ?? ''), await shown(ids[1] ?? '')], [2, undefined, undefined])
})
