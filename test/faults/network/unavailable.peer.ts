// On a server: it is stopped, frozen, lets nobody in, or another program holds locks.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import type { Database } from '#/base/db/open.ts'
import { type PostgresServer, startPostgres } from '#test/peers/postgres.ts'
import { homeAt } from '#test/world/database/database.ts'
import { ImapClient } from '#test/world/imap/client.ts'
import { password, type ReadingMailbox, readingMailbox } from '#test/world/imap/serving.ts'
import { hand } from '#test/world/letters/letter.ts'
import { onceWritten } from '#test/world/observe/writes.ts'
import { assertUnchanged } from '#test/world/organization/every-row.ts'
import { type Furnished, furnish } from '#test/world/organization/furnished.ts'
import { everyCall } from '#test/world/routes/every-call.ts'
import { pathOf } from '#test/world/routes/every-route.ts'
import { World } from '#test/world/world.ts'
import { isThereAgain } from './network.ts'

let resources: AsyncDisposableStack
let server: PostgresServer
let database: Database
let world: World
let one: Furnished
let calls: Call[]
let reading: ReadingMailbox
let program: ImapClient

before(async () => {
  resources = new AsyncDisposableStack()
  server = resources.use(await startPostgres())
  await asOperator('create database mail')
  const home = resources.use(await homeAt(new URL('/mail', server.url).href))
  database = resources.use(await home.open())
  world = resources.use(await World.start({ database, env: { MAILROOM_ROLES: 'api,mx,imap' } }))
  one = await furnish(world)
  calls = (await everyCall(world, one)).filter(({ name }) => name !== perhapsServed)
  reading = await readingMailbox(one.organization, 'reading')
  program = resources.use(await ImapClient.greeted(world.imap?.port ?? 0))
  assert.equal((await program.run(`LOGIN ${reading.address} "${password}"`)).status, 'OK')
})
after(() => resources.disposeAsync())

async function asOperator(...statements: string[]): Promise<void> {
  const client = new pg.Client(server.url)
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}

const refuse = () =>
  asOperator(
    'alter database mail allow_connections false',
    "select pg_terminate_backend(pid, 60000) from pg_stat_activity where datname = 'mail'",
  )
const letIn = () => asOperator('alter database mail allow_connections true')

/** Another program, which takes locks and holds them until it ends. */
class LockHolder implements AsyncDisposable {
  readonly #client = new pg.Client(new URL('/mail', server.url).href)

  static async start(locks: string): Promise<LockHolder> {
    const holder = new LockHolder()
    await holder.#client.connect()
    await holder.#client.query(`begin; ${locks}`)
    return holder
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.end()
  }
}

async function lockAll(): Promise<() => Promise<void>> {
  const { rows } = await database.pool.query<{ tables: string }>(
    "select string_agg(quote_ident(tablename), ', ') as tables from pg_tables where schemaname = 'public'",
  )
  const holder = await LockHolder.start(`lock table ${rows[0]?.tables} in access exclusive mode`)
  // What nobody waits for may take longer. A request that waited as long as this would end after it.
  let isGivenUp = false
  const end = () => {
    isGivenUp = true
  }
  const longer = sql`select from labels`.execute(database.patient).then(end, end)
  return async () => {
    const wasGivenUp = isGivenUp
    await holder[Symbol.asyncDispose]()
    await longer
    assert.equal(wasGivenUp, false, 'who waits is answered before work is given up that nobody waits for')
  }
}

type Call = Awaited<ReturnType<typeof everyCall>>[number]

/** What is answered without the database: whoever asks has made a mistake. */
const served = [
  'GET /v1/session/ways',
  'POST /v1/session',
  'POST /v1/session/link',
  'POST /v1/session/challenge',
  'POST /v1/session/single-sign-on',
]
/** It is, for as long as it is remembered whose session it is. */
const perhapsServed = 'POST /v1/session/confirm/challenge'

/** Those that read or write mail say so in the API's description. */
function expected({ name, operation, sample }: Call): string {
  if (served.includes(name)) return `${sample.status ?? 200}`
  const { examples = {} } = operation.responses['502']?.content?.['application/json'] ?? {}
  return 'mail_unavailable' in examples ? '502 mail_unavailable' : '500 internal_error'
}

for (const [what, fail, known] of [
  [
    'is frozen',
    () =>
      failing(
        () => server.freeze(),
        () => server.thaw(),
      ),
    'nobody',
  ],
  [
    'is frozen',
    () =>
      failing(
        () => server.freeze(),
        () => server.thaw(),
      ),
    'everybody',
  ],
  [
    'is stopped',
    () =>
      failing(
        () => server.end(),
        () => server.start(),
      ),
    'everybody',
  ],
  ['lets nobody in', () => failing(refuse, letIn), 'everybody'],
  ['hangs on locks alone', lockAll, 'nobody'],
  ['hangs on locks alone', lockAll, 'everybody'],
] as const)
  test(`while the database ${what}, and ${known} is known, each route for mail answers 502, the others 500, other programs hear it too, and nothing is done later`, async () => {
    await assertUnchanged(one.organization, async () => {
      if (known === 'everybody') await Promise.all(calls.map(({ ask }) => ask('/v1/nothing')))
      await using healing = new AsyncDisposableStack()
      healing.defer(await fail())
      const [answers, selected, handed] = await Promise.all([
        Promise.all(
          calls.map(async ({ name, path, sample, ask, about }) => {
            const { status, body } = await ask(pathOf(path, sample, about), sample.body?.(about))
            return [name, status < 500 ? String(status) : `${status} ${body.error.code}`]
          }),
        ),
        program.run('SELECT INBOX'),
        hand(world, 'ann@peer.example', reading.address),
      ])
      await healing.disposeAsync()
      await isThereAgain(database)
      assert.deepEqual(
        answers,
        calls.map((call) => [call.name, expected(call)]),
      )
      assert.match(`${selected.status} ${selected.text}`, /^NO \[UNAVAILABLE\]/)
      assert.match(handed, /^451 4/)
    })
    const query = `mailbox=${reading.address}`
    assert.equal((await one.organization.request('GET', `/v1/messages?${query}`)).status, 200)
    assert.equal((await program.run('SELECT INBOX')).status, 'OK')
  })

async function failing(fail: () => unknown, heal: () => unknown): Promise<() => Promise<void>> {
  await fail()
  return async () => void (await heal())
}

test('a change that waits for a lock in vain is not made, and its repetition makes it once', async () => {
  const { organization, address } = one
  const change = { uids: [1], folder: 'Hung' }
  const headers = { 'idempotency-key': 'hung' }
  const request = () => organization.request('PATCH', `/v1/messages?mailbox=${address}`, change, { headers })
  const keys = world.db.selectFrom('idempotency_keys').select('key').where('claimed_until', 'is not', null)
  {
    await using _held = await LockHolder.start('select from mail_folders for update')
    const { status, body } = await request()
    assert.deepEqual([status, body.error.code], [502, 'mail_unavailable'])
    await onceWritten(async () => (await keys.execute()).length === 0)
  }
  const [made, again] = [await request(), await request()]
  assert.deepEqual([made.status, made.body.updated, again.body], [200, [1], made.body])
  const { data } = await organization.bodyOf(200, 'GET', '/v1/changes')
  assert.equal(data.filter(({ moved_to }: { moved_to: string[] }) => moved_to.includes('Hung')).length, 1)
})
