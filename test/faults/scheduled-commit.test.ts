import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { SmarthostRelay } from '#/adapters/relay/smarthost.ts'
import { openDatabase } from '#/db/open.ts'
import { databaseHome } from '../database.ts'
import { Sink } from '../sink.ts'
import { type TestOrganization, World } from '../world.ts'
import { FaultProxy } from './proxy.ts'

const minute = 60_000

// The embedded database has no network to it.
if (process.env.TEST_DATABASE_URL !== undefined) {
  let resources: AsyncDisposableStack
  let proxy: FaultProxy
  let sink: Sink
  let world: World
  let organization: TestOrganization
  let address: string

  before(async () => {
    resources = new AsyncDisposableStack()
    const home = resources.use(await databaseHome())
    const url = new URL(home.env.DATABASE_URL ?? '')
    proxy = resources.use(await FaultProxy.start({ host: url.hostname, port: Number(url.port) }))
    url.host = `127.0.0.1:${proxy.port}`
    sink = resources.use(await Sink.start())
    const peer = { host: '127.0.0.1', address: '127.0.0.1', port: sink.port, tls: 'never' } as const
    const relay = resources.use(new SmarthostRelay({ peer, name: 'mx.mailroom.test' }))
    const database = resources.use(await openDatabase({ url: url.href, patience: 2_000 }))
    world = resources.use(await World.start({ database, relay, env: { MAILROOM_TICK_SECONDS: '86400' } }))
    organization = await world.organization()
    address = (await organization.mailbox('ada')).address
  })
  after(() => resources.disposeAsync())

  const beforeCommit = () => proxy.cut('client', 'commit', { through: 0 })
  const beforeAnswer = () => proxy.cut('server', 'COMMIT', { through: 0 })

  for (const [what, cut, meanwhile, status] of [
    ['is cut before COMMIT is sent', beforeCommit, () => {}, 500],
    ['is cut before COMMIT is answered', beforeAnswer, () => {}, 201],
    ['is cut before COMMIT is answered, and none can be made for a while', beforeAnswer, () => proxy.drop(), 201],
    ['is cut before COMMIT is sent, and none can be made for a while', beforeCommit, () => proxy.drop(), 500],
  ] as const) {
    test(`row 38: where the connection ${what}, the answer to POST /v1/scheduled is ${status} and true`, async () => {
      const cutOff = cut()
      const asking = post(what)
      await cutOff
      meanwhile()
      assert.equal((await fetch(`${world.base}/readyz`)).status, proxyIsDown(meanwhile) ? 503 : 200)
      proxy.heal()
      const answer = await asking
      assert.equal(answer.status, status)
      const stored = status === 201 ? [what] : []
      assert.deepEqual(await listed(), stored)
      if (status === 201) assert.equal(answer.headers.get('location'), `/v1/scheduled/${answer.body.id}`)
      else assert.equal(answer.body.error.code, 'internal_error')
      await world.advance(2 * minute)
      await world.rounds.processAll()
      assert.equal(sink.taken.splice(0).length, stored.length)
    })
  }

  test('row 38: where nobody can say for long whether it is stored, the answer is 500, and it is never sent', async () => {
    const cutOff = beforeAnswer()
    const asking = post('unknown')
    await cutOff
    proxy.drop()
    assert.equal((await asking).status, 500)
    proxy.heal()
    while ((await listed()).length > 0) await setTimeout(100)
    await world.advance(2 * minute)
    await world.rounds.processAll()
    assert.deepEqual(sink.taken, [])
  })

  const proxyIsDown = (meanwhile: () => void) => /drop/.test(String(meanwhile))

  const post = (subject: string) => {
    const sendAt = new Date(world.clock.now() + minute).toISOString()
    const body = { from: address, to: 'bob@there.example', subject, text: 'Hello', send_at: sendAt }
    return organization.request('POST', '/v1/scheduled', body)
  }

  const listed = async (): Promise<string[]> =>
    (await organization.request('GET', '/v1/scheduled')).body.data.map(({ subject }: { subject: string }) => subject)
}
