// On a server: several processes run on it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Role } from '#/app/config/roles.ts'
import { networkTo } from '#test/faults/network/network.ts'
import type { FaultProxy } from '#test/faults/network/proxy.ts'
import { type PostgresServer, startPostgres } from '#test/peers/postgres.ts'
import { homeAt } from '#test/world/database/database.ts'
import { accountFor, assertKept } from './accounts.ts'
import { Fleet } from './fleet.ts'
import { Load } from './load.ts'
import { untilRecovered } from './recovery.ts'

// The embedded database has one process.
if (process.env.TEST_DATABASE_URL !== undefined) {
  let resources: AsyncDisposableStack
  let server: PostgresServer
  let fleet: Fleet
  let load: Load
  /** Between a process of each role and the database. */
  let network: FaultProxy

  before(async () => {
    resources = new AsyncDisposableStack()
    server = resources.use(await startPostgres())
    const home = resources.use(await homeAt(server.url))
    const { proxy, url } = await networkTo(home)
    network = resources.use(proxy)
    const env = (_role: Role, number: number): Record<string, string> => (number === 0 ? { DATABASE_URL: url } : {})
    fleet = resources.use(await Fleet.start({ home, env }))
    load = resources.use(Load.on(fleet))
    await load.senders.see(10, 'acknowledged')
  })
  after(() => resources.disposeAsync())

  test('PostgreSQL ends as in a crash and is started again under load: all is well without a hand', async () => {
    await server.restart()
    await untilRecovered(fleet, load.programs)
  })

  test('the network between a process of each role and PostgreSQL breaks, and comes back: so too', async () => {
    network.drop()
    const [cutOff] = fleet.of('api')
    assert.ok(cutOff)
    assert.equal((await fetch(`${cutOff.http}/readyz`)).status, 503)
    const stillThere = fleet.of('mx')[1]
    assert.ok(stillThere)
    assert.equal(await fleet.hand(stillThere, 'ann@peer.example', fleet.quiet), '250 2.6.0')
    network.heal()
    await untilRecovered(fleet, load.programs)
  })

  test('in the end nothing that was acknowledged is lost', async () => {
    await load.stop()
    assertKept(await accountFor(fleet, load))
  })
}
