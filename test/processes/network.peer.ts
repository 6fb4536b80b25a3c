import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { startPostgres } from '#test/peers/postgres.ts'
import { homeAt } from '#test/world/database/database.ts'
import { ofFile } from '#test/world/of-file.ts'
import type { Service } from '#test/world/service.ts'
import { accountFor, assertKept } from './accounts.ts'
import { Fleet } from './fleet.ts'
import { Load } from './load.ts'
import { untilMailIsTaken, untilRecovered } from './recovery.ts'

assert.equal(process.getuid?.(), 0, 'these tests make networks, so they need root')

const namespace = ofFile(newNamespace())
/** That of a process of each role to PostgreSQL, and that of all others. */
const cables = [namespace.cable(0), namespace.cable(1)] as const
const [one, other] = cables
const server = ofFile(await startPostgres({}, undefined, { host: other.address, enter: namespace.enter }))
const urlBy = ({ address }: Cable) => server.url.replace(other.address, address)
const home = ofFile(await homeAt(server.url))
const env = (_role: string, number: number): Record<string, string> =>
  number === 0 ? { DATABASE_URL: urlBy(one) } : {}
const fleet = ofFile(await Fleet.start({ home, env }))
const load = ofFile(Load.on(fleet))
await load.senders.see(10, 'acknowledged')

test('a process of each role loses its network to PostgreSQL without a word: the others go on, and it is well after its return', async () => {
  const [cable] = cables
  const [cutOff, other] = fleet.of('mx')
  assert.ok(cutOff && other)
  cable.pull()
  await untilMailIsTaken(fleet, other)
  assert.equal(await readiness(fleet.one('api')), 503)
  assert.equal(await fleet.hand(cutOff, 'ann@peer.example', fleet.quiet), '451 4.3.0')
  cable.plugIn()
  await untilRecovered(fleet, load.programs)
})

test('all of them lose it, and it is well after its return', async () => {
  for (const cable of cables) cable.pull()
  for (const api of fleet.of('api')) assert.equal(await readiness(api), 503)
  for (const cable of cables) cable.plugIn()
  await untilRecovered(fleet, load.programs)
})

test('in the end nothing that was acknowledged is lost', async () => {
  await load.stop()
  assertKept(await accountFor(fleet, load))
})

/** The answer to a balancer's probe, after at most two seconds. */
async function readiness({ http }: Service): Promise<number> {
  return (await fetch(`${http}/readyz`)).status
}

/** A way into a namespace. */
interface Cable {
  /** Of the end in there. */
  readonly address: string
  pull(): void
  plugIn(): void
}

/** A network namespace with virtual cables to it. */
function newNamespace() {
  const name = `mailroom-${process.pid}`
  ip('netns', 'add', name)
  return {
    /** The command that runs another one in there, as the user `postgres`. */
    enter: ['ip', 'netns', 'exec', name, 'setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'],
    cable(number: number): Cable {
      const [ours, theirs] = [`mr${number}-${process.pid}`, `eth${number}`]
      ip('link', 'add', ours, 'type', 'veth', 'peer', 'name', theirs, 'netns', name)
      // RFC 2544: for tests alone.
      ip('address', 'add', `198.18.${number}.1/24`, 'dev', ours)
      ip('link', 'set', ours, 'up')
      ip('-n', name, 'address', 'add', `198.18.${number}.2/24`, 'dev', theirs)
      const set = (state: string) => ip('-n', name, 'link', 'set', theirs, state)
      set('up')
      return { address: `198.18.${number}.2`, pull: () => set('down'), plugIn: () => set('up') }
    },
    // With it go its ends of the cables, and with those ours.
    [Symbol.dispose]: () => ip('netns', 'delete', name),
  }
}

function ip(...parameters: string[]): void {
  execFileSync('ip', parameters, { stdio: ['ignore', 'inherit', 'inherit'] })
}
