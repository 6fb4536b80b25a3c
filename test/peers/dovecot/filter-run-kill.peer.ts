import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { startDnsServer } from '#test/dns/dns-server.ts'
import { type Killing, killedAt } from '#test/faults/letters/post-office.ts'
import { hand, letter } from '#test/mail/letter.ts'
import { HttpClient } from '#test/sockets/http-client.ts'
import { type DatabaseHome, databaseHome } from '#test/world/database.ts'
import { startService } from '#test/world/service.ts'
import { moveIn, type Tenant } from '#test/world/tenant.ts'
import { DovecotServer } from './imap-server.ts'

const boxes = ['ann', 'ben', 'cat', 'dan', 'eve', 'flo']

let resources: AsyncDisposableStack
let home: DatabaseHome
let env: Record<string, string>
let tenant: Tenant
before(async () => {
  resources = new AsyncDisposableStack()
  const dovecot = resources.use(await DovecotServer.start())
  home = resources.use(await databaseHome())
  const dns = resources.use(await startDnsServer({ 'peer.example': { txt: ['v=spf1 ip4:127.0.0.1 -all'] } }))
  env = { ...home.env, MAILROOM_DNS_SERVERS: dns.address, MAILROOM_IMAP_URL: dovecot.url }
  tenant = await moveIn(home, { domain: 'run.test', mailboxes: boxes })
  const service = await startService(env)
  const client = new HttpClient(service.http)
  for (const Subject of ['First 1', 'Second 2', 'None 3', 'First 4'])
    await hand(service, 'ann@peer.example', tenant.addresses, letter({ Subject }))
  for (const body of [
    { name: 'One', field: 'subject', op: 'contains', value: 'first', action: 'star' },
    { name: 'Two', field: 'subject', op: 'contains', value: 'second', action: 'read' },
  ])
    assert.equal((await client.request('POST', '/v1/filters', { key: tenant.key, body })).status, 201)
  for (const box of boxes) while ((await messages(client, box)).length < 4) await pause(100)
  await service.end('SIGTERM')
})
after(() => resources.disposeAsync())

async function messages(client: HttpClient, box: string) {
  const { body } = await client.request('GET', `/v1/messages?mailbox=${box}@run.test`, { key: tenant.key })
  return body.data as { subject: string; unread: boolean; starred: boolean }[]
}

async function statesIn(client: HttpClient, box: string) {
  return Object.fromEntries((await messages(client, box)).map((one) => [one.subject, [one.starred, one.unread]]))
}

/** The service that is killed as it does what it is asked, and then another, once the leases of the first have run out. */
async function killedWhile(t: TestContext, killing: Killing, ask: (client: HttpClient) => Promise<void>) {
  const doomed = await startService({ ...env, ...killedAt(killing) })
  const gone = once(doomed.process, 'exit')
  // What it was asked last is not answered.
  await ask(new HttpClient(doomed.http)).catch(() => {})
  await gone
  {
    await using database = await home.open()
    for (const table of ['filter_runs', 'changes'])
      await sql`update ${sql.table(table)} set leased_until = leased_until - interval '1 hour'`.execute(database.db)
  }
  const next = await startService(env)
  t.after(() => void next.process.kill('SIGKILL'))
  return next
}

/** What the first change of the step notes before it is made, and after. */
const [noted, settled] = ['update filter_run_folders set plan', 'update filter_run_folders set uid_validity']
for (const [index, [where, statements, when]] of (
  [
    ['once a change is noted', [noted, 'commit'], 'after'],
    ['when a change is made and not counted', [noted, settled], 'before'],
    ['before a change is committed', [noted, settled, 'commit'], 'before'],
    ['after a change is committed', [noted, settled, 'commit'], 'after'],
  ] as const
).entries()) {
  test(`a run on a Dovecot is counted once although its process is killed ${where}`, async (t) => {
    const box = boxes[index] ?? ''
    const body = { mailboxes: [`${box}@run.test`] }
    const next = await killedWhile(t, { statements, when }, async (client) => {
      await client.request('POST', '/v1/filters/runs', { key: tenant.key, body })
    })
    const client = new HttpClient(next.http)
    const newest = async () => (await client.request('GET', '/v1/filter-runs', { key: tenant.key })).body.data[0]
    let run = await newest()
    while (run.state === 'running') {
      await pause(100)
      run = await newest()
    }
    const { state, total, seen, matched, changed, starred, read } = run
    assert.deepEqual(
      { state, total, seen, matched, changed, starred, read },
      { state: 'done', total: 4, seen: 4, matched: 3, changed: 3, starred: 2, read: 1 },
    )
    const { body: change } = await client.request('GET', `/v1/changes/${run.change_id}`, { key: tenant.key })
    assert.equal(change.messages, 3)
    const stateOf = () => statesIn(client, box)
    assert.deepEqual(await stateOf(), {
      'First 1': [true, true],
      'Second 2': [false, false],
      'None 3': [false, true],
      'First 4': [true, true],
    })
    assert.equal((await client.request('POST', `/v1/changes/${run.change_id}/undo`, { key: tenant.key })).status, 201)
    const asBefore = (states: Awaited<ReturnType<typeof stateOf>>) =>
      Object.values(states).every(([is, unread]) => !is && unread)
    while (!asBefore(await stateOf())) await pause(100)
    await next.end('SIGTERM')
  })
}

const [recorded, undone] = ['insert into change_parts', 'undone_uids = undone_uids ||']
for (const [box, where, statements, when] of [
  // The change that is undone is recorded twice: before it is made, and after.
  ['eve', 'once a part is noted', [recorded, recorded, recorded], 'after'],
  ['flo', 'when a part is put back and not counted', [undone], 'before'],
] as const) {
  test(`an undo on a Dovecot counts each message once although its process is killed ${where}`, async (t) => {
    const path = `/v1/messages?mailbox=${box}@run.test`
    const next = await killedWhile(t, { statements, when }, async (client) => {
      const body = { uids: [1, 2, 3, 4], starred: true, unread: false }
      const change = await client.request('PATCH', path, { key: tenant.key, body })
      await client.request('POST', `/v1/changes/${change.body.change_id}/undo`, { key: tenant.key })
    })
    const client = new HttpClient(next.http)
    const newest = async () => (await client.request('GET', '/v1/changes', { key: tenant.key })).body.data[0]
    let undo = await newest()
    while (undo.state === 'running') {
      await pause(100)
      undo = await newest()
    }
    assert.deepEqual([undo.kind, undo.messages, undo.left_alone], ['undo', 4, 0])
    assert.deepEqual(new Set(Object.values(await statesIn(client, box)).map(String)), new Set(['false,true']))
    await next.end('SIGTERM')
  })
}
