// On a server: a killed process leaves its transactions and leases to others there alone.
// In a process of its own: it kills services.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readByPolling, readByStream } from '#test/events/reconnecting-reader.ts'
import { HttpClient } from '#test/sockets/http-client.ts'
import { isGenuine, Receiver } from '#test/webhooks/receiver.ts'
import { databaseHome } from '#test/world/database/database.ts'
import { storeOrganization } from '#test/world/organization/stored-organization.ts'
import { assertHeard, writeWhileKilled } from '../letters/label-writers.ts'
import { CrashingService } from './crashing-service.ts'

const kills = 3
/** Every seventh request fails, and every thirteenth gets no answer, where it comes for the first time. */
async function failingReceiver(): Promise<Receiver> {
  const receiver = await Receiver.start()
  receiver.answers = ({ id }, response) => {
    const { length } = receiver.all
    const isFirst = receiver.all.filter((one) => one.id === id).length === 1
    if (isFirst && length % 13 === 0) response.destroy()
    else response.writeHead(isFirst && length % 7 === 0 ? 500 : 204).end()
  }
  return receiver
}

test('readers and a webhook hear of every acknowledged change and of none rolled back, readers of none twice, though the service is killed', async () => {
  await using home = await databaseHome()
  const organization = await storeOrganization(home, { domain: 'events.test', mailboxes: ['ada'] })
  await using receiver = await failingReceiver()
  await using mortal = new CrashingService({ ...home.env, MAILROOM_WEBHOOK_NETWORKS: 'loopback' })
  const webhook = { key: organization.key, body: { url: receiver.url, types: ['label'] } }
  const hook = await new HttpClient((await mortal.running()).http).request('POST', '/v1/webhooks', webhook)
  assert.equal(hook.status, 201)
  const nameOf = ({ item }: { item: { name: string } }) => item.name
  const reading = [readByStream, readByPolling].map(async (read) => {
    const events = await read({
      ...{ http: async () => (await mortal.running()).http, key: organization.key, query: 'types=label' },
      isLast: (event) => nameOf(event) === 'last',
    })
    return events.map(nameOf)
  })
  const done = await writeWhileKilled(mortal, { home, organization, kills })
  const { http } = await mortal.running()
  const last = await new HttpClient(http).request('POST', '/v1/labels', {
    key: organization.key,
    body: { name: 'last' },
  })
  assert.equal(last.status, 201)
  for (const names of await Promise.all(reading)) {
    const read = new Set(names)
    assert.equal(read.size, names.length, 'none came twice')
    assertHeard(read, done, 'Urgent', 'last')
  }
  const heard = () => new Set(receiver.taken.map(({ name }) => name))
  await receiver.until(() => [...done.acknowledged, 'last'].every((name) => heard().has(name)))
  assertHeard(heard(), done, 'last')
  // What came twice is known by its id.
  assert.equal(new Set(receiver.taken.map(({ id }) => id)).size, heard().size)
  assert.ok(receiver.all.every((received) => isGenuine(received, hook.body.secret)))
  const labels = (await new HttpClient(http).request('GET', '/v1/labels', { key: organization.key })).body.data
  const made = new Set<string>(labels.map(({ name }: { name: string }) => name))
  for (const name of (await reading[0]) ?? [])
    assert.ok(made.has(name) || name.startsWith('direct'), `${name} was made`)
})
