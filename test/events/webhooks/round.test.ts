// On both databases: a process stands still while it holds a lease.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { appendEvents } from '#/base/event-log/append.ts'
import { sealingKey } from '#/base/secrets/seal.ts'
import { Extra, Pace } from '#/events/webhooks/concurrency.ts'
import { claimWebhooks, endRound } from '#/events/webhooks/progress.ts'
import { Round } from '#/events/webhooks/round.ts'
import { PublicHttp } from '#/http/public-http/public-http.ts'
import { untilReadable } from '#test/events/logged.ts'
import { each } from '#test/world/each.ts'
import { keyring } from '#test/world/installation.ts'
import { World } from '#test/world/world.ts'
import { Receiver } from './receiver.ts'

test('a process that lost a webhook while it stood still posts nothing more, and writes nothing', async () => {
  // Without a worker: the test has the rounds.
  await using world = await World.start({ env: { MAILROOM_ROLES: 'api,mx', MAILROOM_WEBHOOK_NETWORKS: 'loopback' } })
  await using receiver = await Receiver.start()
  const { db } = world
  const organization = await world.organization()
  const body = { url: receiver.url, types: ['label'] }
  assert.equal((await organization.request('POST', '/v1/webhooks', body)).status, 201)
  const appended = ['a1', 'a2', 'b1'].map(
    (name) => ({ organizationId: organization.id, type: 'label.changed', data: { id: name[0] ?? '', name } }) as const,
  )
  await db.transaction().execute((tx) => appendEvents(tx, appended))
  await untilReadable(db)
  using http = new PublicHttp({ resolver: world.dns, allowed: { 'http:': () => true } })
  const secretKey = sealingKey(keyring, 'webhooks')
  const roundAt = async (now: Date, isHeld: () => Promise<boolean>) => {
    const [webhook] = await claimWebhooks(db, now, 1)
    assert.ok(webhook)
    const parts = {
      db,
      names: { ofPage: async () => [] },
      http,
      secretKey,
      stopping: new AbortController().signal,
      isHeld,
    }
    return {
      webhook,
      progress: await new Round(parts, webhook, { pace: new Pace(new Extra(10)), now, most: 10 }).run(),
    }
  }
  const begun = new Date(world.clock.now())
  let asked = 0
  const late = await roundAt(begun, async () => asked++ === 0)
  assert.deepEqual(each(receiver.all, 'name'), ['a1'])
  assert.deepEqual(each(late.progress.recorded, 'state'), ['delivered'])
  const other = await roundAt(new Date(begun.getTime() + 60_000), async () => true)
  assert.equal(await db.transaction().execute((tx) => endRound(tx, other.webhook, other.progress)), true)
  assert.equal(await db.transaction().execute((tx) => endRound(tx, late.webhook, late.progress)), false)
  // What the first posted before it stood still comes twice.
  assert.deepEqual(receiver.all.map(({ name }) => name).toSorted(), ['a1', 'a1', 'a2', 'b1'])
})
