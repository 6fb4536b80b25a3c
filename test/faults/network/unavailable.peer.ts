// On a server: it is stopped, frozen, lets nobody in, or another program holds locks.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import type { Database } from '#/db/open.ts'
import { hand } from '#test/mail/letter.ts'
import { type PostgresServer, startPostgres } from '#test/peers/postgres.ts'
import { homeAt } from '#test/world/database/database.ts'
import { ImapClient } from '#test/world/imap/client.ts'
import { password, type ReadingMailbox, readingMailbox } from '#test/world/imap/serving.ts'
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

/** Another program, which locks every table. */
const locker = { client: new pg.Client() }

async function lockAll(): Promise<void> {
  locker.client = new pg.Client(new URL('/mail', server.url).href)
  await locker.client.connect()
  const { rows } = await locker.client.query<{ tables: string }>(
    "select string_agg(quote_ident(tablename), ', ') as tables from pg_tables where schemaname = 'public'",
  )
  await locker.client.query(`begin; lock table ${rows[0]?.tables} in access exclusive mode`)
}

const unlock = () => locker.client.end()

type Call = Awaited<ReturnType<typeof everyCall>>[number]

/** What is answered without the database: whoever asks has made a mistake. */
const served = [
  'GET /v1/session/ways',
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

for (const [what, fail, heal, known] of [
  ['is frozen', () => server.freeze(), () => server.thaw(), 'nobody'],
  ['is frozen', () => server.freeze(), () => server.thaw(), 'everybody'],
  ['is stopped', () => server.end(), () => server.start(), 'everybody'],
  ['lets nobody in', refuse, letIn, 'everybody'],
  ['hangs on locks', lockAll, unlock, 'nobody'],
  ['hangs on locks', lockAll, unlock, 'everybody'],
] as const)
  test(`while the database ${what}, and ${known} is known, each route for mail answers 502, the others 500, other programs hear it too, and nothing is done later`, async () => {
    await assertUnchanged(one.organization, async () => {
      if (known === 'everybody') await Promise.all(calls.map(({ ask }) => ask('/v1/nothing')))
      await fail()
      let isAborted = false
      const others = [program.run('SELECT INBOX'), hand(world, 'ann@peer.example', reading.address)] as const
      void others[0].then(() => {
        isAborted = true
      })
      const answers = await Promise.all(
        calls.map(async ({ name, path, sample, ask, about }) => {
          const { status, body } = await ask(pathOf(path, sample, about), sample.body?.(about))
          return [name, status < 500 ? String(status) : `${status} ${body.error.code}`]
        }),
      )
      if (what === 'hangs on locks') assert.equal(isAborted, false, 'a request does not wait until the server aborts')
      const [selected, handed] = await Promise.all(others)
      await heal()
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

test('a change that hangs on a lock is not made, and its repetition makes it once', async () => {
  const { organization, address } = one
  const request = () =>
    organization.request(
      'PATCH',
      `/v1/messages?mailbox=${address}`,
      { uids: [1], folder: 'Hung' },
      {
        headers: { 'idempotency-key': 'hung' },
      },
    )
  await lockAll()
  const hung = await request()
  await unlock()
  assert.deepEqual([hung.status, hung.body.error.code], [502, 'mail_unavailable'])
  const [made, again] = [await request(), await request()]
  assert.deepEqual([made.status, made.body.updated, again.body], [200, [1], made.body])
  const { data } = await organization.bodyOf(200, 'GET', '/v1/changes')
  assert.equal(data.filter(({ moved_to }: { moved_to: string[] }) => moved_to.includes('Hung')).length, 1)
})
