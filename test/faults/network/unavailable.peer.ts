// On a server: it is stopped, frozen, or lets nobody in.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import type { Database } from '#/base/db/open.ts'
import { type PostgresServer, startPostgres } from '#test/peers/postgres.ts'
import { homeAt } from '#test/world/database/database.ts'
import { ImapClient } from '#test/world/imap/client.ts'
import { password, type ReadingMailbox, readingMailbox } from '#test/world/imap/serving.ts'
import { hand } from '#test/world/letters/letter.ts'
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
] as const)
  test(`while the database ${what}, and ${known} is known, each route for mail answers 502, the others 500, other programs hear it too, and nothing is done later`, async () => {
    await assertUnchanged(one.organization, async () => {
      if (known === 'everybody') await Promise.all(calls.map(({ ask }) => ask('/v1/nothing')))
      await fail()
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
