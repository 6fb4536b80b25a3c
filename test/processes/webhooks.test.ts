// On a server: several processes run on it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { appendEvents } from '#/base/event-log/append.ts'
import { isGenuine, Receiver } from '#test/events/webhooks/receiver.ts'
import { Fleet } from './fleet.ts'

const items = 12
const changes = 40

// The embedded database has one process.
if (process.env.TEST_DATABASE_URL !== undefined) {
  test('two workers post every event to every receiver, in the order of each item, though one is killed', async () => {
    await using fleet = await Fleet.start({
      numbers: { api: 1, worker: 2 },
      env: () => ({ MAILROOM_WEBHOOK_NETWORKS: 'loopback' }),
    })
    await using receivers = new AsyncDisposableStack()
    const hooks = await Promise.all(
      [1, 2, 3].map(async () => {
        const receiver = receivers.use(await Receiver.start())
        const body = { url: receiver.url, types: ['label'] }
        const made = await fleet.request(fleet.one('api'), 'POST', '/v1/webhooks', body)
        assert.equal(made.status, 201)
        return { receiver, secret: made.body.secret }
      }),
    )
    for (const { receiver } of hooks) {
      const refused = new Set<string>()
      receiver.answers = ({ id, name }, response) => {
        const fails = name.endsWith('-9') && !refused.has(id)
        refused.add(id)
        response.writeHead(fails ? 500 : 204).end()
      }
    }
    const writing = Promise.all(Array.from({ length: items }, (_, item) => change(fleet, `item ${item}`)))
    const some = Math.floor(Math.random() * 100)
    await hooks[0]?.receiver.until(({ all }) => all.length > some)
    await fleet.kill(fleet.one('worker'))
    await fleet.add('worker', { MAILROOM_WEBHOOK_NETWORKS: 'loopback' })
    await writing
    for (const { receiver, secret } of hooks) {
      const first = () => new Map(receiver.taken.map(({ id, name }) => [id, name]))
      await receiver.until(() => first().size === items * changes)
      for (let item = 0; item < items; item++) {
        const heard = [...first().values()].filter((name) => name.startsWith(`item ${item}-`))
        assert.deepEqual(heard, namesOf(`item ${item}`))
      }
      assert.ok(receiver.all.every((received) => isGenuine(received, secret)))
    }
  })
}

const namesOf = (item: string) => Array.from({ length: changes }, (_, number) => `${item}-${number}`)

/** Writes events of an item, each in its own transaction, while others commit first. */
async function change({ db, organization: { organizationId } }: Fleet, id: string): Promise<void> {
  for (const name of namesOf(id))
    await db.transaction().execute(async (tx) => {
      await appendEvents(tx, [{ organizationId, type: 'label.changed', data: { id, name } }])
      for (let trips = Math.random() * 10; trips > 0; trips--) await sql`select`.execute(tx)
    })
}
