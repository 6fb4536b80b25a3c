import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { after, before, beforeEach, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import type { Db } from '#/db/schema.ts'
import { insertScheduled } from '#/scheduled/queries.ts'
import { type DatabaseHome, databaseHome } from '../database.ts'
import { type DnsServer, startDnsServer } from '../dns-server.ts'
import { launchService, type Service, startService } from '../service.ts'
import { Sink } from '../sink.ts'
import { moveIn, type Tenant } from '../tenant.ts'

let resources: AsyncDisposableStack
let home: DatabaseHome
let dns: DnsServer
let sink: Sink
let tenant: Tenant
before(async () => {
  resources = new AsyncDisposableStack()
  home = resources.use(await databaseHome())
  dns = resources.use(await startDnsServer({}))
  sink = resources.use(await Sink.start())
  tenant = await moveIn(home, { domain: 'killed.test', mailboxes: ['ada'] })
})
after(() => resources.disposeAsync())
beforeEach(() => {
  sink.act = () => undefined
  sink.taken.length = 0
})

const environment = (more: Record<string, string> = {}) => ({
  ...home.env,
  MAILROOM_DNS_SERVERS: dns.address,
  MAILROOM_RELAY_URL: `smtp://127.0.0.1:${sink.port}?starttls=never`,
  MAILROOM_TICK_SECONDS: '1',
  ...more,
})

const preload = (file: string) => `--import ${fileURLToPath(new URL(file, import.meta.url))}`

async function whileStopped<T>(work: (db: Db) => Promise<T>): Promise<T> {
  await using database = await home.open()
  return await work(database.db)
}

/** Schedules a message that is due, and answers its id. */
async function schedule(db: Db, subject: string, sendAt = new Date()): Promise<string> {
  const id = randomUUID()
  const from = tenant.addresses[0] ?? ''
  const raw = Buffer.from(
    `From: ${from}\r\nSubject: ${subject}\r\nMessage-ID: <${id}@x>\r\nDate: Sat, 21 Nov 2026 08:00:00 +0000\r\n\r\nHi\r\n`,
  )
  const { id: mailboxId } = await db.selectFrom('mailboxes').select('id').executeTakeFirstOrThrow()
  const to = ['bob@there.example', 'cy@elsewhere.example']
  const known = { id, organizationId: tenant.organizationId, mailboxId, from, subject, messageId: `<${id}@x>`, raw }
  const rest = { to, cc: [], bcc: [], recipients: to, attachmentCount: 0, scheduledBy: 'api_key', sendAt } as const
  assert.ok(await db.transaction().execute((tx) => insertScheduled(tx, { ...known, ...rest }, sendAt)))
  return id
}

/** Lets the leases of a process that is gone run out. */
async function leasesRunOut(db: Db): Promise<void> {
  await sql`update outbound_recipients set due_at = due_at - interval '1 minute' where state <> 'waiting'`.execute(db)
  await sql`update scheduled_messages set due_at = due_at - interval '1 minute' where status = 'sending'`.execute(db)
}

/** Starts a service that something kills. */
async function untilKilled(env: Record<string, string>): Promise<void> {
  const launched = launchService(environment(env))
  launched.running.catch(() => {})
  const [, signal] = await once(launched.process, 'exit')
  assert.equal(signal, 'SIGKILL')
}

const list = async ({ http }: Service, path: string) => {
  const answer = await fetch(`${http}${path}`, { headers: { authorization: `Bearer ${tenant.key}` } })
  return ((await answer.json()) as { data: { id: string; status: string; message_id: string; last_error: string }[] })
    .data
}

async function untilSettled(service: Service): Promise<void> {
  while ((await list(service, '/v1/scheduled')).some(({ status }) => status !== 'failed')) await setTimeout(100)
}

const header = (bytes: Buffer, name: string) => new RegExp(`^${name}: .*`, 'm').exec(bytes.toString('latin1'))?.[0]

const handOver = ['insert into "outbound_messages"', 'commit']
const finish = ["set state = 'dotted'", 'update outbound_messages set delivered', 'commit']
for (const [step, statements, when, copies] of [
  ['the claim', ["set status = 'sending', epoch"], 'after', 1],
  ['the start', ['update scheduled_messages set attempts'], 'after', 1],
  ['the hand-over, before its commit', handOver, 'before', 1],
  ['the hand-over, after its commit', handOver, 'after', 1],
  ['the claim in the queue', ["set state = 'sending', epoch"], 'after', 1],
  ['the start in the queue', ['update outbound_recipients recipient set attempts'], 'after', 1],
  ['the mark of the dot, before it', ["set state = 'dotted'"], 'before', 1],
  ['the mark of the dot, after it', ["set state = 'dotted'"], 'after', 1],
  ['the dot', undefined, 'after', 2],
  ['the end, before its commit', finish, 'before', 2],
  ['the end, after its commit', finish, 'after', 1],
] as const) {
  test(`row 28: killed at ${step} a message is sent ${copies === 1 ? 'once' : 'twice, both times the same'}`, async () => {
    const id = await whileStopped((db) => schedule(db, step))
    if (statements) {
      const [NODE_OPTIONS, KILL_AT_STATEMENT] = [preload('./kill-at-statement.ts'), JSON.stringify(statements)]
      await untilKilled({ NODE_OPTIONS, KILL_AT_STATEMENT, KILL_WHEN: when })
    } else {
      const service = await startService(environment())
      sink.act = (at) => {
        if (at !== 'dot') return undefined
        service.process.kill('SIGKILL')
        return { next: 'stall', keep: true }
      }
      await once(service.process, 'exit')
      sink.act = () => undefined
    }
    await whileStopped(leasesRunOut)
    const service = await startService(environment())
    await untilSettled(service)
    const taken = sink.taken.splice(0).map(({ bytes }) => bytes)
    assert.equal(taken.length, copies)
    for (const name of ['Message-ID', 'Date']) assert.equal(new Set(taken.map((one) => header(one, name))).size, 1)
    assert.equal(header(taken[0] ?? Buffer.alloc(0), 'Message-ID'), `Message-ID: <${id}@x>`)
    assert.deepEqual(await list(service, '/v1/scheduled'), [])
    const sent = await list(service, `/v1/messages?mailbox=${tenant.addresses[0]}&folder=sent`)
    assert.equal(sent.filter(({ message_id }) => message_id === `<${id}@x>`).length, 1)
    await service.end('SIGTERM')
  })
}
