// On a server: several processes run on it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { Role } from '#/app/config/roles.ts'
import { cursorText } from '#/base/event-log/cursor.ts'
import type { StreamedEvent } from '#test/events/reader.ts'
import { readByPolling, readByStream } from '#test/events/reconnecting-reader.ts'
import { isGenuine, Receiver } from '#test/events/webhooks/receiver.ts'
import { commitOutOfOrder, Done } from '#test/faults/letters/label-writers.ts'
import { each } from '#test/world/each.ts'
import { loggedIn, password, submissionSettings, written } from '#test/world/mail/submission.ts'
import { freePort } from '#test/world/sockets/free-port.ts'
import { Fleet, two } from './fleet.ts'

const changes = 20
/** Events of other types may lie behind the place where reading begins, such as the webhook's own, if a transaction was open then. */
const types = ['message', 'scheduled', 'label', 'mailbox']
/** The processes to kill, one after the other. */
const victims = ['worker', 'api', 'submission', 'mx', 'api', 'worker', 'submission', 'mx'] as const

type Event = StreamedEvent['event']

/** An event as its writer knows it. */
function namesOf({ type, item, message, sending }: Event): string[] {
  if (item) return [`${type} ${item.name}`]
  if (message) return [`${type} ${message.subject}`]
  return (sending.recipients ?? [{ address: sending.id }]).map(
    ({ address }: { address: string }) => `${type} ${address.split('@')[0]}`,
  )
}

/** Makes changes, one after the other, at any process. Those without an answer are not repeated. */
async function write(done: Done, name: string, does: (name: string) => Promise<boolean>): Promise<void> {
  for (let number = 0; number < changes; number++) {
    const one = `${name} ${number}`
    done.unknown.add(one)
    if (!(await does(one).catch(() => false))) continue
    done.unknown.delete(one)
    done.acknowledged.add(one)
  }
}

// The embedded database has one process.
if (process.env.TEST_DATABASE_URL !== undefined)
  test('readers by stream, poll and webhook hear of the same, all that was acknowledged and nothing rolled back, though each role is killed', async () => {
    await using settings = await submissionSettings()
    const port = await freePort()
    const env = (role: Role) => ({
      MAILROOM_WEBHOOK_NETWORKS: 'loopback',
      ...(role === 'submission' && { ...settings.env, MAILROOM_SUBMISSION_PORT: String(port) }),
    })
    await using fleet = await Fleet.start({ numbers: { ...two, submission: 1 }, env })
    const { organization, busy, db } = fleet
    await using receiver = await Receiver.start()
    // Every fifth request fails where it comes for the first time.
    receiver.answers = ({ id }, response) => {
      const isFirst = receiver.all.filter((one) => one.id === id).length === 1
      response.writeHead(isFirst && receiver.all.length % 5 === 0 ? 500 : 204).end()
    }
    const hook = await fleet.request(fleet.one('api'), 'POST', '/v1/webhooks', { url: receiver.url, types })
    assert.equal(hook.status, 201)
    const { next: start } = (await fleet.request(fleet.one('api'), 'GET', '/v1/events?after=now')).body
    const reading = [readByStream, readByPolling].map((read) =>
      read({
        ...{
          http: async () => (await fleet.some('api')).http,
          key: organization.key,
          query: `types=${types}`,
          after: start,
        },
        isLast: ({ type, item }) => type === 'label.created' && item.name === 'last',
      }),
    )

    const done = new Done()
    const post = async (path: string, body: object) =>
      (await fleet.request(await fleet.some('api'), 'POST', path, body)).status
    const from = busy[0] ?? ''
    const program = 'eve@fleet.test'
    assert.equal(await post('/v1/mailboxes', { domain: 'fleet.test', local_part: 'eve', password }), 201)
    const recipient = (name: string) => `${name.replace(' ', '-')}@there.example`
    const writers = [
      commitOutOfOrder(db, organization, done),
      write(done, 'label', async (name) => (await post('/v1/labels', { name })) === 201),
      write(done, 'mail', async (Subject) => {
        return (await fleet.hand(await fleet.some('mx'), 'ann@peer.example', busy, { Subject })) === '250 2.6.0'
      }),
      write(done, 'sent', async (name) => {
        return (await post('/v1/send', { from, to: recipient(name), text: 'Hello' })) === 202
      }),
      write(done, 'submitted', async (name) => {
        await fleet.some('submission')
        await using client = await loggedIn(port, program)
        return (await client.send(program, recipient(name), written(program))).codes === '250 2.6.0'
      }),
    ]
    const allWritten = Promise.all(writers)
    for (const role of victims) {
      const wanted = receiver.all.length + Math.floor(Math.random() * 20)
      await Promise.race([allWritten, receiver.until(({ all }) => all.length >= wanted)])
      await fleet.kill(fleet.one(role))
      await fleet.add(role, env(role))
    }
    await allWritten
    await fleet.until(async () => (await fleet.waiting()) === 0)
    assert.equal(await post('/v1/labels', { name: 'last' }), 201)

    const { rows } = await sql<{ position: number; id: number }>`
      select position, id from events
      where organization_id = ${organization.organizationId} and split_part(type, '.', 1) = any (${types}::text[])
      order by position, id`.execute(db)
    const log = rows.map(cursorText).filter((id) => id > start)
    const [streamed = [], polled = []] = await Promise.all(reading)
    for (const events of [streamed, polled]) assert.deepEqual(each(events, 'id'), log, 'all, in order, none twice')
    const posted = () => new Set(receiver.taken.map(({ id }) => id))
    await receiver.until(() => log.every((id) => posted().has(id)))
    assert.deepEqual([...posted()].filter((id) => id > start).sort(), log)
    assert.ok(receiver.all.every((received) => isGenuine(received, hook.body.secret)))

    const heard = new Set(streamed.flatMap(namesOf))
    const expected = [...done.acknowledged].flatMap((name) => {
      if (name.startsWith('mail')) return [`message.received ${name}`]
      if (!/^(?:sent|submitted)/.test(name)) return [`label.created ${name}`]
      return ['message.queued', 'message.delivered'].map((type) => `${type} ${name.replace(' ', '-')}`)
    })
    assert.ok(expected.length > done.acknowledged.size, 'something was sent')
    assert.deepEqual(
      expected.filter((name) => !heard.has(name)),
      [],
    )
    assert.deepEqual(
      [...done.rolledBack].filter((name) => heard.has(`label.created ${name}`)),
      [],
    )
    // Delivered once, though a worker that dies may have delivered it before.
    const delivered = streamed.filter(({ type }) => type === 'message.delivered').flatMap(namesOf)
    assert.equal(new Set(delivered).size, delivered.length)
  })
