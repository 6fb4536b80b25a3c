// Mail coming in through the whole path, against smtp-server with one insert of the message, both on the database that
// tests use: node bench/arrival.ts [MESSAGES] [CONNECTIONS]
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { Worker } from 'node:worker_threads'
import { SMTPServer } from 'smtp-server'
import { World } from '../test/world.ts'
import type { Load } from './smtp-load.ts'

const messages = Number(process.argv[2] ?? 4_000)
const connections = Number(process.argv[3] ?? 20)
const rounds = 5
const rules = 100

await using world = await World.start()
const organization = await world.organization({ plan: 'self_hosted' })
const recipients: string[] = []
for (let n = 0; n < 10; n++) recipients.push((await organization.mailbox(`ada${n}`)).address)
await layRules()
world.dns.set('peer.example', { txt: ['v=spf1 ip4:127.0.0.1 -all'] })

const { pool } = world.database
await pool.query('create table floor (id bigint generated always as identity primary key, raw bytea not null)')
const floor = new SMTPServer({
  disabledCommands: ['AUTH', 'STARTTLS'],
  disableReverseLookup: true,
  authOptional: true,
  logger: false,
  onData(stream, _session, done) {
    buffer(stream)
      .then((raw) => pool.query('insert into floor (raw) values ($1)', [raw]))
      .then(() => done(), done)
  },
})
floor.listen(0, '127.0.0.1')
await once(floor.server, 'listening')
const floorPort = (floor.server.address() as AddressInfo).port

await run(floorPort, 500)
await run(world.smtp.port, 500)
const ratios: number[] = []
for (let round = 0; round < rounds; round++) {
  const least = await run(floorPort, messages)
  const ours = await run(world.smtp.port, messages)
  ratios.push(ours.perSecond / least.perSecond)
  say(`floor ${least.perSecond.toFixed(0)}/s, ${least.cpu.toFixed(2)} ms of CPU each;`)
  say(` arrival ${ours.perSecond.toFixed(0)}/s, ${ours.cpu.toFixed(2)} ms; ratio ${ratios.at(-1)?.toFixed(2)}\n`)
}
const median = ratios.sort((a, b) => a - b)[rounds >> 1] ?? 0
say(
  `${connections} connections, ${messages} messages of 5 KB, ${rules} filters and blocks: ${median.toFixed(2)} of the floor\n`,
)
await new Promise<void>((resolve) => floor.close(resolve))

/** Messages taken a second, and CPU time for each, the sender's share included. */
async function run(port: number, count: number): Promise<{ perSecond: number; cpu: number }> {
  const load: Load = { port, connections, messages: count, recipients, octets: 5_000 }
  const before = process.cpuUsage()
  const worker = new Worker(new URL('./smtp-load.ts', import.meta.url), { workerData: load })
  const [ms] = (await once(worker, 'message')) as [number]
  const { user, system } = process.cpuUsage(before)
  return { perSecond: (count / ms) * 1000, cpu: (user + system) / 1000 / count }
}

/** Filters and blocks that look at every message, and fit none. */
async function layRules(): Promise<void> {
  for (let n = 0; n < rules; n++) {
    const field = ['from', 'to', 'subject'][n % 3]
    const rule = { name: `Rule ${n}`, field, op: n % 2 ? 'is' : 'contains', value: `none such ${n}`, action: 'star' }
    const made = await organization.request('POST', '/v1/filters', rule)
    const blocked = await organization.request('POST', '/v1/blocked-senders', { pattern: `spam${n}@bad.example` })
    if (made.status !== 201 || blocked.status !== 201) throw new Error('the rules could not be made')
  }
}

function say(text: string): void {
  process.stdout.write(text)
}
