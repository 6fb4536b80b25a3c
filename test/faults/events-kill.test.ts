// In a process of its own: it kills services.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { tell } from '#/events/tell.ts'
import { EventStream } from '#test/events/reader.ts'
import { HttpClient } from '#test/sockets/http-client.ts'
import { databaseHome } from '#test/world/database.ts'
import { moveIn, type Tenant } from '#test/world/tenant.ts'
import { Mortal } from './mortal.ts'

const kills = 3
const changes = 25

/** What was done, by a name for each change. */
class Done {
  readonly acknowledged = new Set<string>()
  /** Answered by nobody: done or not. */
  readonly unknown = new Set<string>()
  readonly rolledBack = new Set<string>()
}

/** Makes labels, one after the other. What gets no answer is not tried again. */
async function makeLabels(mortal: Mortal, { key }: Tenant, writer: string, done: Done): Promise<void> {
  for (let number = 0; number < changes; number++) {
    const name = `${writer}-${number}`
    done.unknown.add(name)
    const { http } = await mortal.running()
    const answer = await new HttpClient(http)
      .request('POST', '/v1/labels', { key, body: { name } })
      .catch(() => undefined)
    if (answer?.status !== 201) {
      await pause(50)
      continue
    }
    done.unknown.delete(name)
    done.acknowledged.add(name)
  }
}

/** Reads until everything acknowledged has come after the writers have ended. */
type Read = (mortal: Mortal, tenant: Tenant, over: () => boolean) => Promise<string[]>

const byStream: Read = async (mortal, { key }, over) => {
  const names: string[] = []
  for (let after: string | undefined; !over() || names.at(-1) !== 'last'; ) {
    try {
      const { http } = await mortal.running()
      await using stream = await EventStream.open(http, { key, query: '?types=label', after })
      for (let next = await stream.next(); next; next = await stream.next()) {
        names.push(next.event.item.name)
        after = next.id
        if (names.at(-1) === 'last') return names
      }
    } catch {
      await pause(50)
    }
  }
  return names
}

const byPolling: Read = async (mortal, { key }, over) => {
  const names: string[] = []
  for (let next = ''; !over() || names.at(-1) !== 'last'; ) {
    try {
      const { http } = await mortal.running()
      const path = `/v1/events?types=label&wait=2${next && `&after=${next}`}`
      const { status, body } = await new HttpClient(http).request('GET', path, { key })
      if (status !== 200) throw new Error(`it is answered ${status}`)
      names.push(...body.data.map(({ item }: { item: { name: string } }) => item.name))
      next = body.next
    } catch {
      await pause(50)
    }
  }
  return names
}

test('readers hear of every acknowledged change, of none twice and of none rolled back, though the service is killed', async () => {
  await using home = await databaseHome()
  const tenant = await moveIn(home, { domain: 'events.test', mailboxes: ['ada'] })
  await using mortal = new Mortal(home.env)
  const done = new Done()
  let over = false
  const reading = [byStream, byPolling].map((read) => read(mortal, tenant, () => over))
  const writers = ['a', 'b', 'c'].map((writer) => makeLabels(mortal, tenant, writer, done))
  // On a server others write too, in transactions that commit out of order.
  if ('DATABASE_URL' in home.env) writers.push(commitOutOfOrder(home, tenant, done))
  for (let kill = 0; kill < kills; kill++) await mortal.kill({ after: { line: 'request', ms: 20 * kill } })
  await Promise.all(writers)
  over = true
  const { http } = await mortal.running()
  const last = await new HttpClient(http).request('POST', '/v1/labels', { key: tenant.key, body: { name: 'last' } })
  assert.equal(last.status, 201)
  for (const names of await Promise.all(reading)) {
    const read = new Set(names)
    assert.equal(read.size, names.length, 'none came twice')
    assert.deepEqual(
      [...done.acknowledged].filter((name) => !read.has(name)),
      [],
      'none was missed',
    )
    const known = new Set([...done.acknowledged, ...done.unknown, 'Urgent', 'last'])
    assert.deepEqual(
      names.filter((name) => !known.has(name)),
      [],
      'none was rolled back',
    )
  }
  const labels = (await new HttpClient(http).request('GET', '/v1/labels', { key: tenant.key })).body.data
  const made = new Set<string>(labels.map(({ name }: { name: string }) => name))
  for (const name of (await reading[0]) ?? [])
    assert.ok(made.has(name) || name.startsWith('direct'), `${name} was made`)
})

async function commitOutOfOrder(
  home: Awaited<ReturnType<typeof databaseHome>>,
  { organizationId }: Tenant,
  { acknowledged, rolledBack }: Done,
): Promise<void> {
  await using database = await home.open()
  const write = async (writer: number) => {
    for (let number = 0; number < changes; number++) {
      const name = `direct-${writer}-${number}`
      const fails = number % 4 === 3
      const writing = database.db.transaction().execute(async (tx) => {
        await tell(tx, [{ organizationId, type: 'label.created', data: { id: null, name } }])
        await pause(Math.random() * 40)
        if (fails) throw new Error('rolled back')
      })
      await writing.then(
        () => acknowledged.add(name),
        () => rolledBack.add(name),
      )
    }
  }
  await Promise.all([1, 2, 3, 4].map(write))
}
