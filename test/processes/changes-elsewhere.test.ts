// On a server: several processes run on it.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { discrepancies } from '#test/faults/letters/stored.ts'
import { limitFor } from '#test/world/limit-for.ts'
import { insertDue, oneEach } from '#test/world/mail/due-mail.ts'
import { operatorOn, printed } from '#test/world/operator.ts'
import type { Service } from '#test/world/service.ts'
import { Fleet, soon } from './fleet.ts'

/** How long one process may ignore a change by another, in milliseconds. */
const stale = 5_000

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

  const operate = (...argv: string[]) => printed(operatorOn(fleet), ...argv)

  /** By one api process. */
  async function change(api: number, method: string, path: string, body?: object) {
    const answer = await fleet.request(fleet.one('api', api), method, path, body)
    assert.ok(answer.status < 300, JSON.stringify(answer.body))
    return answer.body
  }

  /** Sends a message to an mx process, and answers how it is stored. */
  async function arrived(mx: Service, to: string, text: string): Promise<{ starred: boolean; unread: boolean }> {
    const subject = `${text} ${randomUUID()}`
    assert.equal(await fleet.hand(mx, author, to, { Subject: subject }), '250 2.6.0')
    const { body } = await fleet.request(fleet.one('api'), 'GET', `/v1/messages?mailbox=${to}`)
    return body.data.find((message: { subject: string }) => message.subject === subject)
  }

  /** Every mx process does it. */
  const everyMx = async (what: string, does: (mx: Service) => Promise<boolean>) => {
    await Promise.all(fleet.of('mx').map((mx) => soon(stale, what, () => does(mx))))
  }

  test('a key that is revoked on one process is refused by every other within 5 s', async () => {
    const { id, key } = await operate('key', 'create', '--org', 'fleet.test', '--scopes', 'usage:read')
    const ask = async (api: Service) => (await fleet.request(api, 'GET', '/v1/usage', undefined, key)).status
    for (const api of fleet.of('api')) assert.equal(await ask(api), 200)
    await operate('key', 'revoke', id)
    await Promise.all(
      fleet.of('api').map((api) => soon(stale, 'the key is refused', async () => (await ask(api)) === 401)),
    )
  })

  test('a filter that is made, changed and deleted through one process is so on every mx within 5 s', async () => {
    const stars = async (mx: Service) => (await arrived(mx, ada, 'a zebra')).starred
    for (const mx of fleet.of('mx')) assert.equal(await stars(mx), false)
    const filter = { name: 'Zebra', field: 'subject', op: 'contains', value: 'zebra', action: 'star' }
    const { id } = await change(0, 'POST', '/v1/filters', filter)
    await everyMx('zebras are starred', stars)
    await change(1, 'PATCH', `/v1/filters/${id}`, { action: 'read' })
    await everyMx('zebras are read', async (mx) => {
      const { starred, unread } = await arrived(mx, ada, 'a zebra')
      return !starred && !unread
    })
    await change(0, 'DELETE', `/v1/filters/${id}`)
    await everyMx('zebras are mail like other', async (mx) => (await arrived(mx, ada, 'a zebra')).unread)
  })

  test('a sender who is blocked through one process is refused by every mx within 5 s, and accepted again after', async () => {
    const pattern = 'spammer@pest.example'
    const byEnvelope = (mx: Service) => fleet.hand(mx, pattern, ada)
    const byHeader = (mx: Service) => fleet.hand(mx, author, ada, { From: pattern })
    const says = (reply: string) => async (mx: Service) =>
      (await byEnvelope(mx)) === reply && (await byHeader(mx)) === reply
    for (const mx of fleet.of('mx')) assert.ok(await says('250 2.6.0')(mx))
    const { id } = await change(1, 'POST', '/v1/blocked-senders', { pattern })
    await everyMx('the sender is refused', says('550 5.7.1'))
    await change(0, 'DELETE', `/v1/blocked-senders/${id}`)
    await everyMx('the sender is taken', says('250 2.6.0'))
  })

  test("a member's rules and blocks end with the member on every mx within 5 s", async () => {
    const eve = 'eve@fleet.test'
    const whose = ['--org', 'fleet.test', '--member', eve]
    await operate('member', 'add', '--org', 'fleet.test', '--email', eve)
    await change(0, 'POST', '/v1/mailboxes', { domain: 'fleet.test', local_part: 'eve' })
    const rule = ['--field', 'subject', '--op', 'contains', '--value', 'okapi', '--action', 'star']
    await operate('member', 'filter', 'add', 'Okapi', ...whose, ...rule)
    await operate('member', 'block', 'add', '@pest.example', ...whose)
    const stars = async (mx: Service) => (await arrived(mx, eve, 'an okapi')).starred
    const blocked = async (mx: Service) => (await fleet.hand(mx, 'b@pest.example', eve)) === '550 5.7.1'
    await everyMx('the member’s rules hold', async (mx) => (await stars(mx)) && (await blocked(mx)))
    await operate('member', 'remove', eve, '--org', 'fleet.test')
    await everyMx('the member’s rules are gone', async (mx) => !(await stars(mx)) && !(await blocked(mx)))
  })

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
    await soon(limitFor(30_000), 'the queue is empty', async () => (await fleet.waiting()) === 0)
    await change(1, 'PATCH', '/v1/forwarding', { ...away, reply_enabled: false })
    assert.deepEqual(
      fleet.sink.taken.splice(0).map(({ to }) => to),
      [[keen]],
    )
  })

  test('what is scheduled and due is sent once each by two workers, with one copy in Sent', async () => {
    const bob = fleet.organization.addresses[1] ?? ''
    const { organizationId } = fleet.organization
    const due = oneEach(300, new Date())
    await insertDue(fleet.db, { organizationId, address: bob }, due)
    await soon(limitFor(30_000), 'all has gone', async () => (await fleet.waiting()) === 0)
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
