// On a server: several processes run on it.
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { sql } from 'kysely'
import { stopping } from '#test/faults/kill/killed-at-commit.ts'
import { killedAt, leasesRunOut } from '#test/faults/letters/post-office.ts'
import { insertDue, oneEach } from '#test/world/mail/due-mail.ts'
import { onceSaid } from '#test/world/observe/writes.ts'
import { Fleet } from './fleet.ts'

// The embedded database has one process. One that takes mail in, and is stopped, is in test/faults/kill/stopped.test.ts.
if (process.env.TEST_DATABASE_URL !== undefined) {
  let fleet: Fleet
  let ada: string
  before(async () => {
    fleet = await Fleet.start({ numbers: { api: 1, mx: 0, worker: 0 } })
    ada = fleet.organization.addresses[0] ?? ''
  })
  after(() => fleet[Symbol.asyncDispose]())
  afterEach(async () => {
    for (const worker of [...fleet.of('worker')]) await fleet.kill(worker)
    fleet.sink.taken.length = 0
  })

  for (const [step, statements, when, copies] of [
    ['it has claimed a message', ['from outbound_pieces'], 'before', 1],
    ['it claims the allowance for one', ['set allowance_due = 0', 'commit'], 'before', 1],
    ['it notes the end of data', ['set end_of_data_sent = true'], 'before', 1],
    ['it writes down that a message is sent', ["set state = 'copy_pending'"], 'before', 2],
  ] as const)
    test(`a worker that is stopped as ${step}, and continues past its lease, writes nothing any more`, async () => {
      const stopped = await fleet.add('worker', { ...killedAt({ statements, when }), KILL_WITH: 'SIGSTOP' })
      const id = await due()
      await onceSaid(stopped, stopping)

      await endPausedSessions()
      await leasesRunOut(fleet.db)
      const other = await fleet.add('worker')
      await fleet.until(async () => (await fleet.waiting()) === 0)
      await fleet.kill(other)

      stopped.process.kill('SIGCONT')
      // It finishes its current work before it claims new work.
      const fresh = await due()
      await fleet.until(async () => (await fleet.waiting()) === 0)
      await fleet.stop(stopped)
      assert.deepEqual([taken(id), taken(fresh)], [copies, 1])
      const sent = await fleet.request(fleet.one('api'), 'GET', `/v1/messages?mailbox=${ada}&folder=sent`)
      const ids: string[] = sent.body.data.map(({ message_id }: { message_id: string }) => message_id)
      for (const one of [id, fresh]) assert.equal(ids.filter((other) => other === `<${one}@x>`).length, 1)
    })

  /** Schedules a message that is due now, and answers its id. */
  async function due(): Promise<string> {
    const messages = oneEach(1, new Date())
    await insertDue(fleet.db, { organizationId: fleet.organization.organizationId, address: ada }, messages)
    return messages[0]?.id ?? ''
  }

  /** How often it was sent. */
  function taken(id: string): number {
    return fleet.sink.taken.filter(({ to }) => to.includes(`${id}@there.example`)).length
  }

  /** As the server does by itself to transactions that pause for 20 seconds, also where a statement of one is about to end. */
  async function endPausedSessions(): Promise<void> {
    await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and xact_start is not null and pid <> pg_backend_pid()`.execute(fleet.db)
  }
}
