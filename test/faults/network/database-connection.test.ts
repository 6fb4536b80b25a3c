// On a server: the connection to the database is cut.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { type Database, openDatabase } from '#/base/db/open.ts'
import { type DatabaseHome, databaseHome } from '#test/world/database/database.ts'
import { startDnsServer } from '#test/world/dns/dns-server.ts'
import { hand, letter, subjectsIn } from '#test/world/letters/letter.ts'
import { storeOrganization } from '#test/world/organization/stored-organization.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { launchService, startService } from '#test/world/service.ts'
import { SmtpClient } from '#test/world/sockets/smtp-client.ts'
import { World } from '#test/world/world.ts'
import { discrepancies } from '../letters/stored.ts'
import { isThereAgain, networkTo } from './network.ts'
import type { FaultProxy } from './proxy.ts'

/** In milliseconds; the server gives a statement up after it, and we the server a second later. */
const timeoutMs = 5_000

// The embedded database has no network to it.
if (process.env.TEST_DATABASE_URL !== undefined) {
  let resources: AsyncDisposableStack
  let home: DatabaseHome
  let proxy: FaultProxy
  let database: Database
  let world: World
  let organization: TestOrganization
  let address: string

  before(async () => {
    resources = new AsyncDisposableStack()
    home = resources.use(await databaseHome())
    const network = await networkTo(home)
    proxy = resources.use(network.proxy)
    database = resources.use(await openDatabase({ url: network.url, timeoutMs }))
    world = resources.use(await World.start({ database }))
    organization = await world.organization()
    address = (await organization.mailbox('ada')).address
  })
  after(() => resources.disposeAsync())

  const label = (name: string) =>
    organization.request('POST', '/v1/labels', { name }, { headers: { 'idempotency-key': name } })

  /** The server's end of a connection may yet have to hear that it is cut, and holds the key until then. */
  async function endCutSessions(): Promise<void> {
    await using database = await home.open()
    await database.pool.query(`select pg_terminate_backend(pid, 60000) from pg_stat_activity
      where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`)
  }

  /** A client that has its recipient accepted and is about to send the message. */
  async function beforeTheMessage(): Promise<SmtpClient> {
    const client = await SmtpClient.greeted(world.smtp.port)
    assert.equal((await client.begin('ann@peer.example', address)).code, 354)
    return client
  }

  for (const [what, fail] of [
    ['falls silent', () => proxy.silence()],
    ['breaks', () => proxy.drop()],
    ['is slower than anybody waits for', () => (proxy.delay = 10 * timeoutMs)],
  ] as const)
    test(`while the database's network ${what} mail is deferred with 451, requests get 500, those for mail 502, then all is well`, async () => {
      const message = letter({ Subject: what })
      await using client = await beforeTheMessage()
      fail()
      client.write(`${message}\r\n.\r\n`)
      const [stored, refused, read, written, listed] = await Promise.all([
        client.reply(),
        hand(world, 'ann@peer.example', address),
        organization.request('GET', '/v1/labels'),
        label(what),
        organization.request('GET', `/v1/messages?mailbox=${address}`),
      ])
      assert.equal(stored.codes, '451 4.3.0')
      assert.equal(refused, '451 4.3.0')
      assert.deepEqual([read.status, written.status, listed.status], [500, 500, 502])
      assert.equal((await fetch(`${world.base}/readyz`)).status, 503)

      proxy.heal()
      await isThereAgain(database)
      assert.equal(await hand(world, 'ann@peer.example', address, message), '250 2.6.0')
      assert.equal((await label(what)).status, 201)
      assert.equal((await organization.request('GET', '/v1/labels')).status, 200)
      assert.deepEqual(
        (await subjectsIn(organization, address)).filter((subject) => subject === what),
        [what],
      )
      assert.deepEqual(await discrepancies(world.db), [])
    })

  // Several statements in a transaction store a long message. A short one is stored by one statement, which commits.
  const long = 'A line of a long message.\r\n'.repeat(50_000)
  for (const [what, text, cut] of [
    ['COMMIT is sent', long, () => proxy.cut('client', 'commit', { through: 0 })],
    ['COMMIT is answered', long, () => proxy.cut('server', 'COMMIT', { through: 0 })],
    [
      'what is written is answered',
      'A short message.',
      (answer: string) => proxy.cut('server', answer, { through: 0, silently: true }),
    ],
  ] as const)
    test(`cut off before ${what}, a message that is sent again is stored once, and a label made once`, async () => {
      const message = letter({ Subject: what }, text)
      await using client = await beforeTheMessage()
      // A column of where the message is stored.
      const mailCut = cut('folder_id')
      client.write(`${message}\r\n.\r\n`)
      await mailCut
      assert.equal((await client.reply()).code, 451)
      assert.equal(await hand(world, 'ann@peer.example', address, message), '250 2.6.0')
      assert.deepEqual(
        (await subjectsIn(organization, address)).filter((subject) => subject === what),
        [what],
      )

      const labelCut = cut('INSERT')
      const first = label(what)
      await labelCut
      assert.equal((await first).status, 500)
      await endCutSessions()
      assert.equal((await label(what)).status, 201)
      const { body } = await organization.request('GET', '/v1/labels')
      assert.equal(body.data.filter(({ name }: { name: string }) => name === what).length, 1)
      assert.deepEqual(await discrepancies(world.db), [])
    })

  test('a service whose database is gone stays quiet, and ends on SIGTERM', async () => {
    await using home = await databaseHome()
    await using dns = await startDnsServer({})
    const organization = await storeOrganization(home, { domain: 'gone.test', mailboxes: ['ada'] })
    const { proxy, url } = await networkTo(home)
    await using network = proxy
    const env = { ...home.env, DATABASE_URL: url, MAILROOM_DNS_SERVERS: dns.address, MAILROOM_TICK_SECONDS: '1' }
    const service = await startService(env)
    const headers = { authorization: `Bearer ${organization.key}` }
    assert.equal((await fetch(`${service.http}/v1/labels`, { headers })).status, 200)
    network.drop()
    const rounds = () => service.written().split('the outbound queue could not be read').length - 1
    const triedBy = async (count: number) => {
      while (rounds() < count) await once(service.process.stderr ?? service.process, 'data')
      return network.refused
    }
    const tried = -(await triedBy(1)) + (await triedBy(4))
    assert.ok(tried < 200, `it tried ${tried} times to connect in three rounds`)
    assert.deepEqual(await service.end('SIGTERM'), { code: 0, signal: null })
  })

  test('a service that is started before its database waits for it, and says so', async () => {
    await using home = await databaseHome()
    const { proxy, url } = await networkTo(home)
    await using network = proxy
    network.drop()
    const launched = launchService({ ...home.env, DATABASE_URL: url })
    const { stderr } = launched.process
    assert.ok(stderr)
    for (let written = ''; !written.includes('the database does not answer; waiting for it'); )
      written += (await once(stderr, 'data'))[0]
    network.heal()
    const service = await launched.running
    assert.deepEqual(await service.end('SIGTERM'), { code: 0, signal: null })
  })

  test('a service that its database will not let in ends, and says why', async () => {
    await using home = await databaseHome()
    const url = new URL(home.env.DATABASE_URL ?? '')
    url.pathname = '/nowhere'
    await assert.rejects(startService({ ...home.env, DATABASE_URL: url.href }), /database "nowhere" does not exist/)
  })

  test('a service whose database falls silent ends on SIGTERM', async () => {
    await using home = await databaseHome()
    const { proxy, url } = await networkTo(home)
    await using network = proxy
    const service = await startService({ ...home.env, DATABASE_URL: url })
    network.silence()
    assert.deepEqual(await service.end('SIGTERM'), { code: 0, signal: null })
  })
}
