import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { homeAt } from '../database.ts'
import { FaultProxy } from '../faults/proxy.ts'
import { startPostgres } from '../postgres.ts'
import { Fleet, soon } from '../processes/fleet.ts'
import type { Service } from '../service.ts'
import { DovecotServer } from './imap-server.ts'

let resources: AsyncDisposableStack
let way: FaultProxy
let fleet: Fleet
before(async () => {
  resources = new AsyncDisposableStack()
  const dovecot = resources.use(await DovecotServer.start())
  way = resources.use(await FaultProxy.start(dovecot.server))
  const server = resources.use(await startPostgres())
  const home = resources.use(await homeAt(server.url))
  const url = new URL(dovecot.url)
  url.port = String(way.port)
  fleet = resources.use(await Fleet.start({ home, env: () => ({ MAILROOM_IMAP_URL: url.href }) }))
})
after(() => resources.disposeAsync())

const address = 'eve@fleet.test'

const list = (api: Service) => fleet.request(api, 'GET', `/v1/messages?mailbox=${address}&limit=100`)

async function subjects(api: Service): Promise<string[]> {
  const { status, body } = await list(api)
  return status === 200 ? body.data.map(({ subject }: { subject: string }) => subject).sort() : []
}

const hand = async (mx: number, Subject: string) =>
  assert.equal(await fleet.hand(fleet.one('mx', mx), 'ann@peer.example', address, { Subject }), '250 2.6.0')

/** Connections that are dead yet look alive may cost a process some seconds first. */
async function bothHave(expected: readonly string[]): Promise<void> {
  for (const api of fleet.of('api'))
    await soon(30_000, 'all mail is there', async () => (await subjects(api)).length >= expected.length)
  for (const api of fleet.of('api')) assert.deepEqual(await subjects(api), expected)
}

for (const [what, fail] of [
  ['falls silent', () => way.silence()],
  ['refuses connections', () => way.drop()],
] as const) {
  test(`row 33: a mail host that ${what} is 502 from every process within 10 s, mail is taken by every one, and is there once when it is back`, async () => {
    const [one, other] = fleet.of('api')
    assert.ok(one && other)
    if (what === 'falls silent') {
      const made = await fleet.request(one, 'POST', '/v1/mailboxes', { domain: 'fleet.test', local_part: 'eve' })
      assert.equal(made.status, 201)
    }
    const before = await subjects(one)
    for (const mx of [0, 1]) await hand(mx, `before it ${what}, ${mx}`)
    const there = [...before, ...[0, 1].map((mx) => `before it ${what}, ${mx}`)].sort()
    await bothHave(there)

    fail()
    const asked = performance.now()
    for (const { status, body } of await Promise.all([one, other].map(list)))
      assert.deepEqual([status, body.error?.code], [502, 'mail_unavailable'])
    assert.ok(performance.now() - asked < 10_000)
    const meanwhile = Array.from({ length: 10 }, (_, n) => `while it ${what}, ${n}`)
    await Promise.all(meanwhile.map((subject, n) => hand(n % 2, subject)))

    way.heal()
    await bothHave([...there, ...meanwhile].sort())
  })
}
