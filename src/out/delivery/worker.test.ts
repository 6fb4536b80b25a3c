// On both databases: workers lease messages from each other.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { pino } from 'pino'
import { collected } from '#/base/event-loop/pieces.ts'
import { readContent } from '#/formats/mime/body/content.ts'
import { messageDate } from '#/formats/mime/header/date.ts'
import { MessageReader } from '#/formats/mime/reader.ts'
import { OpenPgp } from '#/formats/openpgp/openpgp.ts'
import { listMessages } from '#/mail/store/list.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import { readStored } from '#/mail/store/read.ts'
import { enqueue, enqueueScheduled } from '#/out/queue/enqueue.ts'
import { lifetime } from '#/out/queue/message.ts'
import type { Delivery, Outcome, Relay } from '#/out/relay/relay.ts'
import { notifier } from '#/out/reports/bounce.ts'
import { databaseOfFile } from '#test/world/database/database.ts'
import { each } from '#test/world/each.ts'
import { mailKey } from '#test/world/installation.ts'
import { idKey, newDomain, newMailbox } from '#test/world/mail/mailboxes.ts'
import { ofFile } from '#test/world/of-file.ts'
import { delayNoticeAfter } from './backoff.ts'
import { PendingCopies } from './pending-copies.ts'
import { OutboundWorker } from './worker.ts'

const minute = 60_000

/** What an attempt waits for. It opens at the end of a test that fails, too: a worker that ends waits for its attempts. */
function gate(): { readonly opened: Promise<void>; open(): void } & Disposable {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>()
  return { opened, open, [Symbol.dispose]: open }
}

const database = await databaseOfFile()
const { db } = database
const reader = ofFile(new MessageReader())
const openPgp = ofFile(new OpenPgp())
const log = pino({ level: 'silent' })
const reports = notifier({ idKey, reader, openPgp, mailKey, hostname: 'mx.mailroom.test' })
let now = new Date('2026-11-21T08:00:00Z')

/** A relay that answers as it is told, and keeps what it was given. */
class ScriptedRelay implements Relay {
  readonly ended: { recipients: readonly string[]; text: string }[] = []
  answer: (recipient: string) => Partial<Outcome> = () => ({})
  /** Awaited before the end of data. */
  stall: () => Promise<void> = async () => {}
  /** Called after it. */
  sent: () => void = () => {}

  routeOf(recipient: string): string {
    return recipient.slice(recipient.indexOf('@') + 1)
  }

  async deliver(delivery: Delivery): Promise<readonly Outcome[]> {
    const outcomes = delivery.recipients.map((recipient) => ({ ...delivered(recipient), ...this.answer(recipient) }))
    const accepted = outcomes.filter(({ result }) => result === 'delivered').map(({ recipient }) => recipient)
    if (accepted.length === 0) return outcomes
    const text = (await collected(delivery.content(), delivery.size)).toString()
    await this.stall()
    await delivery.beforeEndOfData(accepted)
    this.ended.push({ recipients: accepted, text })
    this.sent()
    return outcomes
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

function delivered(recipient: string): Outcome {
  const reply = { reply: '250 Ok', status: '2.0.0', reason: 'Ok', host: 'mx' }
  return { ...reply, recipient, result: 'delivered', ambiguous: false }
}

const asked = { reply: '451 4.7.1 Later', status: '4.7.1', reason: 'The mail host asks to wait' } as const
const later = { result: 'deferred', ...asked } as const
const never = { result: 'refused', reply: '550 5.1.1 Who?', status: '5.1.1', reason: 'Nobody there has it' } as const

async function organization(): Promise<MailboxRef & { address: string }> {
  const own = await newDomain(database.db)
  return { ...(await newMailbox(database.db, 'ada', own)), address: `ada@${own.domain}` }
}

async function depart(from: MailboxRef & { address: string }, ...recipients: string[]): Promise<void> {
  const id = randomUUID()
  const raw = Buffer.from(`Subject: Out\r\nMessage-ID: <${id}@x>\r\n\r\nTo ${recipients.join()}\r\n`)
  const { routeOf } = new ScriptedRelay()
  const to = recipients.map((recipient) => ({ recipient, route: routeOf(recipient) }))
  const message = { id, ...from, raw, kind: 'sent', sender: from.address, recipients: to } as const
  await database.db.transaction().execute((tx) => enqueue(tx, mailKey, message, now))
}

async function schedule(from: MailboxRef & { address: string }, recipient: string): Promise<void> {
  const id = randomUUID()
  const raw = Buffer.from(`Message-ID: <${id}@x>\r\nDate: ${messageDate(now)}\r\n\r\nTo ${recipient}\r\n`)
  const listed = { to: [recipient], cc: [], bcc: [], subject: '' }
  const to = { sendAt: now, listed, attachmentCount: 0, by: 'api_key', byId: id, answerMarks: null } as const
  const message = { id, ...from, sender: from.address, raw, recipients: [recipient] }
  await database.db.transaction().execute((tx) => enqueueScheduled(tx, mailKey, message, to, now))
}

function workerWith(relay: Relay, ambiguous: 'retry' | 'fail' = 'retry', notify = reports): OutboundWorker {
  const { db } = database
  const time = async () => now
  return new OutboundWorker({
    ...{ db, relay, local: relay, time, log, mailKey, ambiguous, signingKeys: async () => [] },
    ...{ envelopeSender: ({ sender }) => sender, compose: async (message) => ({ message }) },
    copies: new PendingCopies({ db, idKey, time, reader, log, mailKey }),
    nextRound: (at) => new Date(at.getTime() + 5 * minute),
    notify,
  })
}

/** A worker that ends after its end of data, and gets no reply to it. */
function killedAfterData(ambiguous: 'retry' | 'fail' = 'retry') {
  const relay = new ScriptedRelay()
  const [ended, gone] = [gate(), gate()]
  relay.deliver = async (delivery) => {
    await delivery.beforeEndOfData(delivery.recipients.slice(0, 1))
    ended.open()
    await gone.opened
    throw new Error('the end')
  }
  const worker = workerWith(relay, ambiguous)
  const end = async () => {
    gone.open()
    await worker[Symbol.asyncDispose]()
  }
  return { worker, ended: ended.opened, [Symbol.asyncDispose]: end }
}

/** Lets time pass, and has everything done that is due then. */
async function pass(milliseconds: number): Promise<void> {
  now = new Date(now.getTime() + milliseconds)
  await worker.processAll()
}

async function waiting(): Promise<number> {
  const rows = await database.db.selectFrom('outbound_recipients').select('id').execute()
  const messages = await database.db.selectFrom('outbound_messages').select('id').execute()
  const pieces = await database.db.selectFrom('outbound_pieces').select('message_id').execute()
  if (rows.length === 0) assert.deepEqual([messages.length, pieces.length], [0, 0], 'nothing is left of what is done')
  return rows.length
}

async function notices({ organizationId, mailboxId }: MailboxRef): Promise<string[]> {
  const { messages } = await listMessages(db, { organizationId, mailboxId }, 'inbox', { limit: 100, page: 0 })
  return messages.map(({ subject }) => subject)
}

async function newestNotice(mailbox: MailboxRef): Promise<Buffer> {
  const { messages } = await listMessages(db, mailbox, 'inbox', { limit: 1, page: 0 })
  const stored = await readStored(db, mailbox, 'inbox', messages[0]?.uid ?? 0)
  assert.ok(stored)
  return collected(stored.pieces(), stored.summary.sizeBytes)
}

let relay: ScriptedRelay
let worker: OutboundWorker
let from: MailboxRef & { address: string }
beforeEach(async () => {
  relay = new ScriptedRelay()
  worker = workerWith(relay)
  from = await organization()
})
afterEach(() => worker[Symbol.asyncDispose]())

test('recipients of one route travel together, and what is done leaves nothing behind', async () => {
  await depart(from, 'a@one.example', 'b@one.example', 'c@two.example')
  await worker.processAll()
  const reached = each(relay.ended, 'recipients').toSorted()
  assert.deepEqual(reached, [['a@one.example', 'b@one.example'], ['c@two.example']])
  assert.match(relay.ended[0]?.text ?? '', /^Subject: Out\r\nMessage-ID: .*\r\n\r\nTo a@one/)
  assert.equal(await waiting(), 0)
})

test('who cannot be reached is tried again, less and less often, with the same octets', async () => {
  relay.answer = () => later
  await depart(from, 'a@one.example')
  for (const wait of [0, 2, 7, 20]) {
    await pass(wait * minute)
    const [row] = await database.db.selectFrom('outbound_recipients').selectAll().execute()
    assert.deepEqual([row?.state, row?.reply, row?.reason], ['waiting', later.reply, later.reason])
  }
  relay.answer = () => ({})
  await pass(20 * minute)
  assert.equal(relay.ended.length, 0, 'not before half an hour')
  await pass(20 * minute)
  assert.equal(relay.ended.length, 1)
  assert.equal(await waiting(), 0)
  assert.deepEqual(await notices(from), [])
})

for (const [what, deferral, due] of [
  ['no server had answered', { result: 'deferred', reply: null, status: '4.4.1', host: null }, 'at once'],
  ['a server had asked to wait', later, 'at its time'],
] as const)
  test(`once a route works, mail for which ${what} is due ${due}`, async () => {
    relay.answer = () => deferral
    await depart(from, 'a@one.example')
    await depart(from, 'c@two.example')
    for (const wait of [0, 2, 7]) await pass(wait * minute)
    relay.answer = () => ({})
    await depart(from, 'b@one.example')
    await worker.processAll()
    const reached = relay.ended.flatMap(({ recipients }) => recipients)
    assert.deepEqual(reached, due === 'at once' ? ['b@one.example', 'a@one.example'] : ['b@one.example'])
    await pass(60 * minute)
    assert.equal(await waiting(), 0)
  })

test('who is refused for good is named in one notice to the sender, and the others have their message', async () => {
  relay.answer = (recipient) => (recipient.startsWith('no') ? never : {})
  await depart(from, 'a@one.example', 'no1@one.example', 'no2@one.example')
  await worker.processAll()
  assert.deepEqual(relay.ended[0]?.recipients, ['a@one.example'])
  assert.deepEqual(await notices(from), ['Undelivered mail returned to its sender'])
  const raw = await newestNotice(from)
  const text = readContent(raw).text ?? ''
  for (const part of ['no1@one.example', 'no2@one.example', never.reason, never.reply])
    assert.ok(text.includes(part), part)
  assert.match(raw.toString(), /Final-Recipient: rfc822; no1@one\.example\r\nAction: failed\r\nStatus: 5\.1\.1\r\n/)
  assert.equal(await waiting(), 0)
})

test('who has the message does not get it again because a notice about another cannot be stored, which is told later', async () => {
  relay.answer = (recipient) => (recipient.startsWith('no') ? never : {})
  let broken = true
  await using worker = workerWith(relay, 'retry', async (...news) => {
    if (broken) await sql`select 1 / 0`.execute(news[0])
    await reports(...news)
  })
  await depart(from, 'a@one.example', 'no@one.example')
  await worker.processAll()
  assert.deepEqual([await waiting(), await notices(from)], [1, []])
  broken = false
  now = new Date(now.getTime() + 2 * minute)
  await worker.processAll()
  assert.deepEqual(each(relay.ended, 'recipients'), [['a@one.example']])
  assert.deepEqual([await waiting(), await notices(from)], [0, ['Undelivered mail returned to its sender']])
})

test('if the mailbox of the sender is deleted, there is no notice', async () => {
  relay.answer = () => never
  await depart(from, 'a@one.example')
  await database.db.updateTable('outbound_messages').set({ mailbox_id: null }).execute()
  await worker.processAll()
  assert.equal(await waiting(), 0)
  assert.deepEqual(await notices(from), [])
})

test('after four hours the sender gets one notice of the delay, after five days one of the failure', async () => {
  relay.answer = () => later
  await depart(from, 'a@one.example')
  await pass(0)
  await pass(delayNoticeAfter + minute)
  await pass(12 * 60 * minute)
  assert.deepEqual(await notices(from), ['Delayed mail: still being tried'])
  await pass(lifetime)
  assert.deepEqual(await notices(from), ['Undelivered mail returned to its sender', 'Delayed mail: still being tried'])
  assert.equal(await waiting(), 0)
})

test('a worker whose lease is lost does not send its end of data', async () => {
  const slow = new ScriptedRelay()
  await using stopped = workerWith(slow)
  using reached = gate()
  using go = gate()
  slow.stall = () => {
    reached.open()
    return go.opened
  }
  await depart(from, 'a@one.example')
  const stalled = stopped.processAll()
  await Promise.race([reached.opened, stalled])
  await pass(minute)
  assert.equal(relay.ended.length, 1)
  go.open()
  await stalled
  assert.equal(slow.ended.length, 0)
  assert.equal(await waiting(), 0)
})

test('a relay that tries another address after a refusal sends a second end of data in the same attempt', async () => {
  const once = relay.deliver.bind(relay)
  relay.deliver = async (delivery) => {
    await delivery.beforeEndOfData(delivery.recipients)
    return once(delivery)
  }
  await depart(from, 'a@one.example')
  await worker.processAll()
  assert.deepEqual([relay.ended.length, await waiting()], [1, 0])
})

test('an attempt that never ended counts, and recipients whose end of data was sent are ambiguous', async () => {
  await using killed = killedAfterData()
  // It has found nothing to take over before, and looks again.
  await worker.processAll()
  await depart(from, 'a@one.example')
  killed.worker.wake()
  await killed.ended
  await pass(minute)
  assert.equal(relay.ended.length, 1)
  await killed[Symbol.asyncDispose]()
  assert.equal(await waiting(), 0)
})

test('messages in progress when a worker died are sent one after the other, beside other mail', async () => {
  const dead = new ScriptedRelay()
  await using killed = workerWith(dead)
  using begun = gate()
  using gone = gate()
  let stalled = 0
  dead.stall = () => {
    if (++stalled === 3) begun.open()
    return gone.opened
  }
  for (const name of ['a', 'b', 'c']) await depart(from, `${name}@one.example`)
  killed.wake()
  await begun.opened
  now = new Date(now.getTime() + minute)
  await depart(from, 'd@one.example')
  const [most, under] = [{ suspects: 0, all: 0 }, new Set<string>()]
  relay.answer = (recipient) => {
    under.add(recipient)
    most.all = Math.max(most.all, under.size)
    most.suspects = Math.max(most.suspects, [...under].filter((one) => !one.startsWith('d')).length)
    return {}
  }
  using both = gate()
  relay.stall = async () => {
    // Until the other one is under way too.
    if (most.all > 1) both.open()
    await both.opened
    under.clear()
  }
  await worker.processAll()
  assert.equal(each(relay.ended, 'recipients').sort().join(), 'a@one.example,b@one.example,c@one.example,d@one.example')
  assert.deepEqual(most, { suspects: 1, all: 2 })
  gone.open()
  await killed.processAll()
  assert.deepEqual([dead.ended.length, await waiting()], [0, 0])
})

test('with MAILROOM_AMBIGUOUS=fail an end of data without a reply is a failure that says so', async () => {
  await using worker = workerWith(relay, 'fail')
  relay.answer = (recipient) => (recipient.startsWith('a') ? { ...later, ambiguous: true } : {})
  await depart(from, 'a@one.example', 'b@one.example')
  await worker.processAll()
  assert.equal(await waiting(), 0)
  assert.deepEqual(await notices(from), ['Undelivered mail returned to its sender'])
  const text = readContent(await newestNotice(from)).text ?? ''
  assert.match(text, /a@one\.example[\s\S]*it is not sent again, since it may arrive twice/)
  assert.ok(!text.includes('b@one.example'))
})

test('nor is a message sent again whose worker ended after the end of data', async () => {
  await using killed = killedAfterData('fail')
  await worker[Symbol.asyncDispose]()
  worker = workerWith(relay, 'fail')
  await depart(from, 'a@one.example', 'b@one.example')
  killed.worker.wake()
  await killed.ended
  await pass(minute)
  assert.deepEqual(each(relay.ended, 'recipients'), [['b@one.example']])
  const text = readContent(await newestNotice(from)).text ?? ''
  assert.match(text, /a@one\.example[\s\S]*no reply came, so it may have arrived/)
  await killed[Symbol.asyncDispose]()
  assert.equal(await waiting(), 0)
})

test('an organization with many due messages delays none of those that write to the same server', async () => {
  const other = await organization()
  for (let n = 0; n < 60; n++) await depart(from, `many${n}@one.example`)
  now = new Date(now.getTime() + 1_000)
  for (let n = 0; n < 5; n++) await depart(other, `few${n}@one.example`)
  await worker.processAll()
  const order = relay.ended.map(({ recipients: [first = ''] }) => first)
  assert.equal(order.length, 65)
  // In turn they are among the first ten to begin; on a busy machine one of them may end later. Without turns all of
  // them come last.
  const few = order.flatMap((recipient, at) => (recipient.startsWith('few') ? at : []))
  assert.ok((few[2] ?? 65) < 20 && (few[4] ?? 65) < 60, order.join())
})

test('scheduled messages that are being sent take no room from others, however many they are', async () => {
  using stalled = gate()
  for (let n = 0; n < 60; n++) await schedule(from, `many${n}@one.example`)
  using all = gate()
  using first = gate()
  let begun = 0
  relay.stall = () => {
    if (++begun === 60) all.open()
    return stalled.opened
  }
  worker.beginRound()
  await all.opened
  relay.stall = async () => {}
  relay.sent = first.open
  await depart(from, 'one@two.example')
  worker.wake()
  await first.opened
  assert.deepEqual(relay.ended[0]?.recipients, ['one@two.example'])
  stalled.open()
  await worker.processAll()
  assert.equal(relay.ended.length, 61)
})

/** Only on a server is a worker ever in the middle of a claim: the embedded database has one connection. */
const skip = process.env.TEST_DATABASE_URL === undefined && 'the embedded database has one connection'
test('a round claims what another worker had locked first and released', { skip }, async (t) => {
  await schedule(from, 'a@one.example')
  using pauses = gate()
  // The worker pauses for a random time once it has found rows locked.
  t.mock.method(Math, 'random', () => {
    pauses.open()
    return 0
  })
  await database.db.transaction().execute(async (tx) => {
    await sql`select from outbound_messages for update`.execute(tx)
    worker.beginRound()
    await pauses.opened
  })
  await worker.processAll()
  assert.deepEqual([relay.ended.length, await waiting()], [1, 0])
})
