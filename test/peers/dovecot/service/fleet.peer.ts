import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { check } from '#test/faults/letters/checker.ts'
import { Senders } from '#test/faults/letters/senders.ts'
import { FaultProxy } from '#test/faults/network/proxy.ts'
import { DovecotServer } from '#test/peers/dovecot/imap-server.ts'
import { startPostgres } from '#test/peers/postgres.ts'
import { Fleet, soon } from '#test/processes/fleet.ts'
import { homeAt } from '#test/world/database/database.ts'
import { limitFor } from '#test/world/limit-for.ts'

/** The longest recovery, in milliseconds. */
const recovery = limitFor(30_000)
/** As in deploy/dovecot: what a lost network leaves half-open counts until the server notices. */
const manyConnections = 'mail_max_userip_connections = 50\n'
const author = 'ann@peer.example'

let resources: AsyncDisposableStack
let dovecot: DovecotServer
let way: FaultProxy
let fleet: Fleet
let ada: string
before(async () => {
  resources = new AsyncDisposableStack()
  const { url: databaseUrl } = resources.use(await startPostgres())
  const home = resources.use(await homeAt(databaseUrl))
  dovecot = resources.use(await DovecotServer.start(manyConnections))
  way = resources.use(await FaultProxy.start(dovecot.server))
  const url = new URL(dovecot.url)
  url.port = String(way.port)
  const env = { MAILROOM_IMAP_URL: url.href, MAILROOM_SPOOL_MB: '8' }
  fleet = resources.use(await Fleet.start({ home, env: () => env }))
  ada = fleet.organization.addresses[0] ?? ''
})
after(() => resources.disposeAsync())

/** By one api process. */
async function ask(api: number, method: string, path: string, body?: object) {
  const answer = await fleet.request(fleet.one('api', api), method, path, body)
  assert.ok(answer.status < 300, JSON.stringify(answer.body))
  return answer.body
}

async function subjects(api: number, mailbox: string, folder = 'inbox'): Promise<string[]> {
  const found: string[] = []
  for (let page = 0; ; page++) {
    const query = new URLSearchParams({ mailbox, folder, limit: '100', page: String(page) })
    const { data, has_more } = await ask(api, 'GET', `/v1/messages?${query}`)
    found.push(...data.map(({ subject }: { subject: string }) => subject))
    if (!has_more) return found
  }
}

const nothingWaits = () =>
  soon(recovery, 'the spool is empty', async () => {
    const { rows } = await sql`select from mail_spool limit 1`.execute(fleet.db)
    return rows.length === 0
  })

test('what one process accepts, creates or changes the others show at once', async () => {
  const { address } = await ask(0, 'POST', '/v1/mailboxes', { domain: 'fleet.test', local_part: 'dee' })
  for (const [n, Subject] of ['One urgent', 'Two', 'Re: Two'].entries()) {
    const fields = { Subject, 'Message-ID': `<${n}@x>`, ...(n === 2 && { References: '<1@x>' }) }
    assert.equal(await fleet.hand(fleet.one('mx', n), author, address, fields), '250 2.6.0')
    for (const api of [0, 1]) assert.equal((await subjects(api, address))[0], Subject)
  }
  for (const api of [0, 1]) {
    const threads = await ask(api, 'GET', `/v1/threads?mailbox=${address}`)
    assert.deepEqual(
      threads.data.map(({ uids }: { uids: number[] }) => uids),
      [[2, 3], [1]],
    )
  }
  await ask(0, 'PATCH', `/v1/messages/2?mailbox=${address}`, { unread: false, add_labels: ['urgent'] })
  const urgent = await ask(1, 'GET', `/v1/messages?mailbox=${address}&label=urgent`)
  assert.deepEqual(
    urgent.data.map(({ uid, unread, starred }: { uid: number; unread: boolean; starred: boolean }) => [
      uid,
      unread,
      starred,
    ]),
    [
      [2, false, false],
      [1, true, true],
    ],
  )
  await ask(1, 'PATCH', `/v1/messages/3?mailbox=${address}`, { folder: 'archive' })
  assert.deepEqual(await subjects(0, address, 'archive'), ['Re: Two'])
  assert.equal((await ask(0, 'GET', `/v1/threads?mailbox=${address}`)).total, 2)
})

test('what is sent and what is scheduled leaves once, with one copy in Sent', async () => {
  const letter = { from: ada, to: ['there@far.example'], text: 'Hello' }
  for (const n of [0, 1, 2, 3]) await ask(n, 'POST', '/v1/send', { ...letter, subject: `Sent ${n}` })
  const send_at = new Date().toISOString()
  for (const n of [0, 1]) await ask(n, 'POST', '/v1/scheduled', { ...letter, subject: `Due ${n}`, send_at })
  await soon(recovery, 'all has left', async () => (await fleet.waiting()) === 0)
  const expected = ['Due 0', 'Due 1', 'Sent 0', 'Sent 1', 'Sent 2', 'Sent 3']
  assert.equal(fleet.sink.taken.splice(0).length, expected.length)
  for (const api of [0, 1]) assert.deepEqual((await subjects(api, ada, 'sent')).sort(), expected)
})

test('row 33: a server that does not answer is 502 within 10 s by every process, mail is accepted, and once it is back all is there', async () => {
  way.silence()
  const asked = performance.now()
  const said = await Promise.all(
    [0, 1].flatMap((api) =>
      ['messages', 'threads', 'folders'].map((what) =>
        fleet.request(fleet.one('api', api), 'GET', `/v1/${what}?mailbox=${ada}`),
      ),
    ),
  )
  for (const { status, body } of said) assert.deepEqual([status, body.error.code], [502, 'mail_unavailable'])
  assert.ok(performance.now() - asked < limitFor(10_000))
  for (const mx of fleet.of('mx'))
    assert.equal(await fleet.hand(mx, author, ada, { Subject: 'Meanwhile' }), '250 2.6.0')
  way.heal()
  await nothingWaits()
  for (const api of [0, 1]) {
    const path = `/v1/messages?mailbox=${ada}`
    const answered = async () => (await fleet.request(fleet.one('api', api), 'GET', path)).status === 200
    await soon(recovery, 'an api process reaches the server again', answered)
    assert.deepEqual(
      (await subjects(api, ada)).filter((subject) => subject === 'Meanwhile'),
      ['Meanwhile', 'Meanwhile'],
    )
  }
})

test('kill -9 of the server under load: what was acknowledged is there once, and nobody has to help', async () => {
  const { addresses } = fleet.organization
  let doors = 0
  const senders = new Senders(async () => fleet.one('mx', doors++).smtp.port, addresses)
  using _senders = senders
  senders.start(6)
  let reading = true
  const readers = [0, 1].map(async (api) => {
    for (let n = 0; reading; n++) {
      const what = n % 2 ? 'messages' : 'threads'
      const asked = performance.now()
      const path = `/v1/${what}?mailbox=${addresses[n % addresses.length]}`
      const { status } = await fleet.request(fleet.one('api', api), 'GET', path)
      assert.ok(status === 200 || status === 502, `${status}`)
      assert.ok(performance.now() - asked < limitFor(10_000))
      await Promise.race([senders.see(4, 'acknowledged'), stopped.promise])
    }
  })
  const stopped = Promise.withResolvers<void>()
  for (let round = 0; round < 3; round++) {
    await senders.see(30, 'acknowledged')
    await dovecot.kill()
    await senders.see(30, 'acknowledged')
    await dovecot.run()
  }
  await senders.stop()
  reading = false
  stopped.resolve()
  await Promise.all(readers)
  await nothingWaits()
  const stored: string[] = []
  for (const address of addresses) {
    for (const folder of ['inbox', 'Elsewhere']) {
      const letters = (await subjects(0, address, folder)).filter((subject) => / [0-9a-f-]{36}$/.test(subject))
      stored.push(...letters.map((subject) => `${subject} at ${address}`))
    }
  }
  const { lost, unexpected, duplicated, recovered } = check(senders.attempts(), stored)
  assert.deepEqual(
    { lost, unexpected, duplicated, recovered },
    { lost: [], unexpected: [], duplicated: [], recovered: [] },
  )
  assert.deepEqual([...senders.refused.keys()], [])
})

test('while the server is away mail is accepted up to the limit of the spool, then deferred, and accepted again when it is back', async () => {
  way.drop()
  const taken: string[] = []
  const big = { 'X-Filler': 'x'.repeat(900).concat('\r\n ').repeat(1_000) }
  for (let n = 0; ; n++) {
    const reply = await fleet.hand(fleet.one('mx', n), author, ada, { Subject: `Big ${n}`, ...big })
    if (reply === '452 4.3.1') break
    assert.equal(reply, '250 2.6.0')
    taken.push(`Big ${n}`)
    assert.ok(taken.length < 20)
  }
  for (const mx of fleet.of('mx')) assert.equal(await fleet.hand(mx, author, ada), '452 4.3.1')
  way.heal()
  await nothingWaits()
  // RCPT caches the size of the spool for a moment.
  for (const mx of fleet.of('mx'))
    await soon(
      limitFor(30_000),
      'mail is accepted again',
      async () => (await fleet.hand(mx, author, ada)) === '250 2.6.0',
    )
  const came = (await subjects(0, ada)).filter((subject) => subject.startsWith('Big'))
  assert.deepEqual(came.sort(), taken.sort())
})
