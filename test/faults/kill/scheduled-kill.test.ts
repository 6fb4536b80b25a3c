// On a server: a killed process leaves its transactions and leases to others there alone.
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { onceTold, telling } from '#test/observe/writes.ts'
import { ofFile } from '#test/of-file.ts'
import type { Service } from '#test/world/service.ts'
import { fieldOf, killedAt, leasesRunOut, PostOffice } from '../letters/post-office.ts'

const office = ofFile(await PostOffice.open())
/** The service that sent the last test's message after its kill; this test kills it. This saves half of the starts. */
let running: Service | undefined
let recovering: Service | undefined
beforeEach(() => {
  office.sink.act = () => undefined
  office.sink.taken.length = 0
})
// A failed test must not leave a service that works beside those of the next.
afterEach(async () => {
  await recovering?.end('SIGKILL').catch(() => {})
  recovering = undefined
})

const scheduled = 'insert into outbound_messages'
/** Of the claim, what is not sent while nothing is due. */
const claim = "and state = 'held'"
const departure = ['set allowance_due = 0', 'commit']
const waiting = ['message_id, route, min(due_at)']
const end = "set state = 'copy_pending'"
const copy = [end, 'delete from outbound_messages', 'commit']
const kills = [
  ['the claim, before its commit', [claim, 'commit'], 'before', 1],
  ['the claim, after its commit', ['from outbound_pieces'], 'before', 1],
  ['the departure, before its commit', departure, 'before', 1],
  ['the departure, after its commit', departure, 'after', 1],
  ['the claim of one that waits', waiting, 'after', 1],
  ['the mark of the end of data, before it', ['set end_of_data_sent = true'], 'before', 1],
  ['the mark of the end of data, after it', ['set end_of_data_sent = true'], 'after', 1],
  ['the end of data', undefined, 'after', 2],
  ['the end, before its commit', [end, 'commit'], 'before', 2],
  ['the end, after its commit', [end, 'commit'], 'after', 1],
  ['the copy for Sent, before its commit', copy, 'before', 1],
  ['the copy for Sent, after its commit', copy, 'after', 1],
] as const

/** What the service is killed at that is to get a message through `post`. */
const killing = (index: number): Readonly<Record<string, string>> => {
  const [, statements, when] = kills[index] ?? []
  if (!statements) return {}
  return killedAt({ statements: [scheduled, ...(statements === waiting ? departure : statements)], when })
}

kills.forEach(([step, statements, when, copies], index) => {
  test(`killed at ${step} a message is sent ${copies === 1 ? 'once' : 'twice, both times the same'}`, async () => {
    const { sink, address } = office
    const doomed = running ?? (await office.start(killing(index)))
    running = undefined
    if (!statements)
      sink.act = (at) => {
        if (at !== 'end of data') return undefined
        doomed.process.kill('SIGKILL')
        return { next: 'stall', keep: true }
      }
    const letter = { subject: step, sendAt: new Date() }
    await office.post(doomed, letter).catch(() => {}) // it may be killed before it answers
    assert.deepEqual(await doomed.ended, { code: null, signal: 'SIGKILL' })
    sink.act = () => undefined
    if (statements === waiting) {
      await office.behindClosedDoors((db) =>
        db.updateTable('outbound_recipients').set({ state: 'waiting', leased_until: null }).execute(),
      )
      await office.untilKilled({ statements, when })
    }
    await office.behindClosedDoors(leasesRunOut)
    const service = await office.start(telling(['outbound_messages'], killing(index + 1)))
    recovering = service
    const messageId = `<${await office.post(service, letter)}@killed.test>`
    await office.untilSettled(service)
    const taken = sink.taken.splice(0).map(({ bytes }) => bytes)
    assert.equal(taken.length, copies)
    for (const name of ['Message-ID', 'Date']) assert.equal(new Set(taken.map((one) => fieldOf(one, name))).size, 1)
    assert.equal(fieldOf(taken[0], 'Message-ID'), `Message-ID: ${messageId}`)
    assert.deepEqual(await office.list(service, '/v1/scheduled'), [])
    const inSent = async () => {
      const { length } = (await office.list(service, `/v1/messages?mailbox=${address}&folder=sent`)).filter(
        ({ message_id }) => message_id === messageId,
      )
      return length
    }
    await onceTold([service], async () => (await inSent()) > 0)
    assert.equal(await inSent(), 1)
    running = service
    recovering = undefined
  })
})

test('what was killed so often ends in good order', async () =>
  assert.deepEqual(await running?.end('SIGTERM'), { code: 0, signal: null }))
