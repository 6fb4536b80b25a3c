// On both databases: a connection is lost while it commits.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { type Database, openDatabase } from '#/base/db/open.ts'
import { databaseHome } from '#test/world/database/database.ts'
import { AcceptingRelay } from '#test/world/mail/accepting-relay.ts'
import { onceWritten } from '#test/world/observe/writes.ts'
import { ofFile } from '#test/world/of-file.ts'
import { World } from '#test/world/world.ts'
import { networkTo } from '../network/network.ts'
import type { FaultProxy } from '../network/proxy.ts'

const minute = 60_000
const onServer = process.env.TEST_DATABASE_URL !== undefined

let proxy: FaultProxy
const home = ofFile(await databaseHome())
async function open(): Promise<Database> {
  if (!onServer) return await home.open()
  const network = await networkTo(home)
  proxy = ofFile(network.proxy)
  return await openDatabase({ url: network.url, timeoutMs: 8_000 })
}
const database = ofFile(await open())
const relay = new AcceptingRelay()
const world = await World.ofFile({ database, relay })
const { organization, address } = await world.mailbox('ada')

const post = (subject: string) => {
  const sendAt = new Date(world.clock.now() + minute).toISOString()
  const body = { from: address, to: 'bob@there.example', subject, text: 'Hello', send_at: sendAt }
  return organization.request('POST', '/v1/scheduled', body)
}

const listed = async (): Promise<string[]> =>
  (await organization.request('GET', '/v1/scheduled')).body.data.map(({ subject }: { subject: string }) => subject)

/** Answers how many messages are sent once all are due. */
async function sent(): Promise<number> {
  await world.advance(2 * minute)
  await world.rounds.processAll()
  return relay.taken.splice(0).length
}

test('where the commit itself fails the answer is 500, and it is never sent', async () => {
  await sql`
    create function refuse_commit() returns trigger language plpgsql as
      $$ begin raise exception 'the disk is full' using errcode = '53100'; end $$`.execute(world.db)
  await sql`
    create constraint trigger at_commit after insert on outbound_messages deferrable initially deferred
      for each row execute function refuse_commit()`.execute(world.db)
  const { status, body } = await post('refused')
  assert.deepEqual([status, body.error.code, await listed()], [500, 'internal_error', []])
  await sql`drop trigger at_commit on outbound_messages`.execute(world.db)
  assert.equal((await post('taken')).status, 201)
  assert.deepEqual([await listed(), await sent()], [['taken'], 1])
})

// The embedded database has no network to it.
if (onServer) {
  const beforeCommit = () => proxy.cut('client', 'commit', { through: 0 })
  const beforeAnswer = () => proxy.cut('server', 'COMMIT', { through: 0 })

  for (const [what, cut, { down, status }] of [
    ['is cut before COMMIT is sent', beforeCommit, { down: false, status: 500 }],
    ['is cut before COMMIT is answered', beforeAnswer, { down: false, status: 201 }],
    ['is cut before COMMIT is sent, and none can be made for a while', beforeCommit, { down: true, status: 500 }],
    ['is cut before COMMIT is answered, and none can be made for a while', beforeAnswer, { down: true, status: 201 }],
  ] as const)
    test(`where the connection ${what}, the answer is ${status} and true`, async () => {
      const cutOff = cut()
      const asking = post(what)
      await cutOff
      if (down) proxy.drop()
      if (down) assert.equal((await fetch(`${world.base}/readyz`)).status, 503)
      proxy.heal()
      const answer = await asking
      assert.equal(answer.status, status)
      const stored = status === 201 ? [what] : []
      assert.deepEqual(await listed(), stored)
      if (status === 201) assert.equal(answer.headers.get('location'), `/v1/scheduled/${answer.body.id}`)
      else assert.equal(answer.body.error.code, 'internal_error')
      assert.equal(await sent(), stored.length)
    })

  test('where nobody can say for long whether it is stored, the answer is 500, and it is never sent', async () => {
    const cutOff = beforeAnswer()
    const asking = post('unknown')
    await cutOff
    proxy.drop()
    assert.equal((await asking).status, 500)
    proxy.heal()
    // It is removed once the database can be asked.
    const left = world.db.selectFrom('outbound_messages').select('id')
    await onceWritten(async () => (await left.execute()).length === 0)
    assert.equal(await sent(), 0)
  })
}
