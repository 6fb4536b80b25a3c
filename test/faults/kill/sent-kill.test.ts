// On a server: a killed process leaves its transactions and leases to others there alone.
import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { hand, letter } from '#test/world/letters/letter.ts'
import { onceSaid, onceTold, telling } from '#test/world/observe/writes.ts'
import { ofFile } from '#test/world/of-file.ts'
import type { Service } from '#test/world/service.ts'
import { fieldOf, killedAt, leasesRunOut, PostOffice } from '../letters/post-office.ts'

const office = ofFile(await PostOffice.open(['ada', 'fay', 'rex']))
/** It sent the last test's message on after the kill, and is the one that this test kills: half the starts. */
let running: Service | undefined
let recovering: Service | undefined
// A test that fails must not leave a service that works beside those of the next.
afterEach(async () => {
  await recovering?.end('SIGKILL').catch(() => {})
  recovering = undefined
  office.sink.act = () => undefined
  office.sink.taken.length = 0
})

const accepted = 'insert into outbound_messages'
const composed = [accepted, "set state = 'queued', source = null", 'commit']
const claimOfDue = 'message_id, route, min(due_at)'
// Before the commit a claim finds nothing.
const claimed = [accepted, 'commit', claimOfDue]
const marked = [accepted, 'set end_of_data_sent = true']
const ended = [accepted, 'delete from outbound_recipients', 'commit']
const sending = [
  ['its acceptance, after the commit', [accepted, 'commit'], 'after', 1],
  ['the claim, after it', claimed, 'after', 1],
  ['the mark of the end of data, after it', marked, 'after', 1],
  ['the end of data', undefined, 'after', 2],
  ['the outcome, before its commit', ended, 'before', 2],
  ['the outcome, after its commit', ended, 'after', 1],
] as const
const composing = [
  ['its composing, before the commit', composed, 'before', 1],
  ['its composing, after the commit', composed, 'after', 1],
] as const
/** Of the claim, what is not sent while nothing is due. */
const claim = "and state = 'held'"
const departure = [accepted, 'set allowance_due = 0', 'commit']
/** Here it ends before it sends; the next process is killed at the claim. */
const waiting = [...departure]
const end = "set state = 'copy_pending'"
const copy = [accepted, end, 'delete from outbound_messages', 'commit']
const scheduled = [
  ['the claim, before its commit', [accepted, claim, 'commit'], 'before', 1],
  ['the claim, after its commit', [accepted, 'from outbound_pieces'], 'before', 1],
  ['the departure, before its commit', departure, 'before', 1],
  ['the departure, after its commit', departure, 'after', 1],
  ['the claim of one that waits', waiting, 'after', 1],
  ['the mark of the end of data, before it', marked, 'before', 1],
  ['the mark of the end of data, after it', marked, 'after', 1],
  ['the end of data', undefined, 'after', 2],
  ['the end, before its commit', [accepted, end, 'commit'], 'before', 2],
  ['the end, after its commit', [accepted, end, 'commit'], 'after', 1],
  ['the copy for Sent, before its commit', copy, 'before', 1],
  ['the copy for Sent, after its commit', copy, 'after', 1],
] as const
/** Last, since what it is killed over is accepted by the service that comes after it. */
const unaccepted = ['its acceptance, before the commit', [accepted, 'commit'], 'before', 1] as const

const boxes = { ada: 'ada@killed.test', fay: 'fay@killed.test', rex: 'rex@killed.test' }

/** How each kind of message comes to be. A second time it is the same message, which has been accepted or has not. */
const kinds = {
  'message that is sent': async (service: Service, name: string) => {
    const body = { from: boxes.ada, to: ['bob@there.example'], subject: name, text: 'Hello' }
    const { status } = await office.request(service, 'POST', '/v1/send', body, { 'idempotency-key': name })
    assert.equal(status, 202)
  },
  'scheduled message': (service: Service, name: string, sendAt: Date) =>
    office.post(service, { subject: name, sendAt }),
  'forwarded message': async (service: Service, name: string) => {
    const fields = { Subject: name, 'Message-ID': `<${idOf(name)}@peer.example>` }
    assert.match(await hand(service, 'ann@peer.example', boxes.fay, letter(fields)), /^250 /)
  },
  // Who has had an answer gets none for days: each is to somebody else.
  'automatic answer': async (service: Service, name: string) => {
    const sender = `${idOf(name)}@peer.example`
    const fields = { From: sender, To: boxes.rex, Subject: name, 'Message-ID': `<${sender}>` }
    assert.match(await hand(service, sender, boxes.rex, letter(fields)), /^250 /)
  },
} as const

type Kill = (typeof sending)[number] | (typeof composing)[number] | (typeof scheduled)[number] | typeof unaccepted
/** What is behind the composing of a forwarded message or an answer is as of one that is sent. */
const all: readonly (readonly [keyof typeof kinds, Kill])[] = [
  ...sending.map((kill) => ['message that is sent', kill] as const),
  ...scheduled.map((kill) => ['scheduled message', kill] as const),
  ...composing.map((kill) => ['forwarded message', kill] as const),
  ...composing.map((kill) => ['automatic answer', kill] as const),
  ...(Object.keys(kinds) as (keyof typeof kinds)[]).map((kind) => [kind, unaccepted] as const),
]

/** What the service is killed at that is to get a message through the test of that number. */
function killing(index: number): Readonly<Record<string, string>> {
  const [, [, statements, when]] = all[index] ?? [undefined, unaccepted]
  return index < all.length && statements ? killedAt({ statements, when }) : {}
}

all.forEach(([kind, kill], index) => {
  const [step, statements, , copies] = kill
  test(`killed at ${step} a ${kind} goes out ${copies === 1 ? 'once' : 'twice, both times the same'}`, async () => {
    const { sink } = office
    const name = `${kind} ${step}`
    const doomed = running ?? (await office.start(killing(index)))
    running = undefined
    if (index === 0) await setForwarding(doomed)
    if (!statements)
      sink.act = (at) => {
        if (at !== 'end of data') return undefined
        doomed.process.kill('SIGKILL')
        return { next: 'stall', keep: true }
      }
    const at = new Date()
    await kinds[kind](doomed, name, at).catch(() => {}) // it may be killed before it answers
    assert.deepEqual(await doomed.ended, { code: null, signal: 'SIGKILL' })
    sink.act = () => undefined
    if (statements === waiting) {
      const wait = { state: 'waiting', leased_until: null } as const
      await office.behindClosedDoors((db) => db.updateTable('outbound_recipients').set(wait).execute())
      await office.untilKilled({ statements: [claimOfDue], when: 'after' })
    }
    const before = sink.taken.length
    await office.behindClosedDoors(leasesRunOut)
    const next = kill === unaccepted ? {} : killing(index + 1)
    const service = await office.start(kind === 'scheduled message' ? telling(['outbound_messages'], next) : next)
    recovering = service
    await kinds[kind](service, name, at)
    if (kind === 'scheduled message') {
      await office.untilSettled(service)
      await onceTold([service], async () => (await storedIn(service, 'ada sent', name)) > 0)
      assert.deepEqual(await office.list(service, '/v1/scheduled'), [])
    } else {
      await sink.until(({ taken }) => taken.length >= copies)
      // Its outcome is stored once the log says so; what was killed after that had stored it.
      if (before < copies) await onceSaid(service, '"mail out"')
    }
    const taken = sink.taken.map(({ bytes }) => bytes)
    assert.equal(taken.length, copies)
    assert.equal(new Set(taken.map((bytes) => bytes.toString('latin1'))).size, 1)
    assert.ok(fieldOf(taken[0], 'Subject')?.includes(name))
    for (const folder of ['ada sent', 'fay inbox', 'rex inbox'])
      assert.equal(await storedIn(service, folder, name), Number(folder === placeOf[kind]))
    if (kill === unaccepted) assert.deepEqual(await service.end('SIGTERM'), { code: 0, signal: null })
    else running = service
    recovering = undefined
  })
})

test('what was killed so often leaves nothing in the queue', async () => {
  await running?.end('SIGTERM')
  const left = await office.behindClosedDoors((db) => db.selectFrom('outbound_messages').select('kind').execute())
  assert.deepEqual(left, [])
})

const placeOf = {
  'message that is sent': 'ada sent',
  'scheduled message': 'ada sent',
  'forwarded message': 'fay inbox',
  'automatic answer': 'rex inbox',
} as const

/** How many messages of that subject a folder has. */
async function storedIn(service: Service, place: string, subject: string): Promise<number> {
  const [name = '', folder] = place.split(' ')
  const path = `/v1/messages?mailbox=${name}@killed.test&folder=${folder}&limit=100`
  return (await office.list(service, path)).filter((one) => one.subject === subject).length
}

async function setForwarding(service: Service): Promise<void> {
  for (const change of [
    { mailbox: boxes.fay, forward_to: 'ada@away.example', forward_enabled: true },
    { mailbox: boxes.rex, reply_body: 'I am away.', reply_enabled: true },
  ])
    assert.equal((await office.request(service, 'PATCH', '/v1/forwarding', change)).status, 200)
}

function idOf(name: string): string {
  return name.replaceAll(/[^a-z]+/g, '-')
}
