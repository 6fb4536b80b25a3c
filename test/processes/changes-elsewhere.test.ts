// On a server: several processes run on it.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { each } from '#test/each.ts'
import { discrepancies } from '#test/faults/letters/stored.ts'
import { insertDue, oneEach } from '#test/world/mail/due-mail.ts'
import type { Service } from '#test/world/service.ts'
import { Fleet } from './fleet.ts'

const author = 'ann@peer.example'

// The embedded database has one process.
if (process.env.TEST_DATABASE_URL !== undefined) {
  let fleet: Fleet
  let ada: string
  before(async () => {
    fleet = await Fleet.start({ numbers: { api: 2, mx: 3, worker: 2 } })
    ada = fleet.organization.addresses[0] ?? ''
  })
  after(() => fleet[Symbol.asyncDispose]())

  /** By one api process. */
  async function change(api: number, method: string, path: string, body?: object) {
    const answer = await fleet.request(fleet.one('api', api), method, path, body)
    assert.ok(answer.status < 300, JSON.stringify(answer.body))
    return answer.body
  }

  test('of a hundred messages of one sender at once, to three mx processes, one is answered', async () => {
    const away = { mailbox: ada, reply_body: 'I am away.', reply_enabled: true }
    await change(0, 'PATCH', '/v1/forwarding', away)
    const keen = 'keen@far.example'
    const letters = Array.from({ length: 100 }, async (_, n) => {
      const hand = () => fleet.hand(fleet.one('mx', n), keen, ada, { From: keen, To: ada })
      let reply = await hand()
      // On a busy machine queries of the DNS may time out.
      while (reply === '451 4.7.26') reply = await hand()
      return reply
    })
    assert.deepEqual(new Set(await Promise.all(letters)), new Set(['250 2.6.0']))
    await fleet.until(async () => (await fleet.waiting()) === 0)
    await change(1, 'PATCH', '/v1/forwarding', { ...away, reply_enabled: false })
    assert.deepEqual(each(fleet.sink.taken.splice(0), 'to'), [[keen]])
  })

  test('what is scheduled and due is sent once each by two workers, with one copy in Sent', async () => {
    const bob = fleet.organization.addresses[1] ?? ''
    const { organizationId } = fleet.organization
    const due = oneEach(300, new Date())
    await insertDue(fleet.db, { organizationId, address: bob }, due)
    await fleet.until(async () => (await fleet.waiting()) === 0)
    const took = fleet.sink.taken.splice(0).flatMap(({ to }) => to)
    assert.deepEqual(took.sort(), due.flatMap(({ recipients }) => recipients).sort())
    const { body } = await fleet.request(fleet.one('api', 1), 'GET', `/v1/messages?mailbox=${bob}&folder=sent`)
    assert.equal(body.total, due.length)
  })

  test('a database that has no room fails every process, and none of them needs a hand when it has room', async () => {
    const label = async (api: Service) =>
      (await fleet.request(api, 'POST', '/v1/labels', { name: randomUUID().slice(0, 8) })).status
    const held = async () => (await change(0, 'GET', `/v1/messages?mailbox=${ada}`)).total
    const everywhere = async (reply: string, status: number) => {
      for (const mx of fleet.of('mx')) assert.equal(await fleet.hand(mx, author, ada), reply)
      for (const api of fleet.of('api')) assert.equal(await label(api), status)
    }
    await sql`create function fail() returns trigger language plpgsql as $$
      begin raise exception 'could not extend file' using errcode = '53100'; end $$`.execute(fleet.db)
    for (const table of ['labels', 'organization_usage', 'mail_contents'])
      await sql`create trigger fail before insert or update on ${sql.table(table)} execute function fail()`.execute(
        fleet.db,
      )
    const before = await held()
    await everywhere('452 4.3.1', 500)
    await sql`drop function fail() cascade`.execute(fleet.db)
    await everywhere('250 2.6.0', 201)
    assert.equal(await held(), before + fleet.of('mx').length)
    assert.deepEqual(await discrepancies(fleet.db), [])
  })
}
