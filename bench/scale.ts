import assert from 'node:assert/strict'
import { startPostgres } from '#test/peers/postgres.ts'
import { databaseHome, homeAt } from '#test/world/database/database.ts'
import { startDnsServer } from '#test/world/dns/dns-server.ts'
import { cpuTime } from '#test/world/observe/cpu-time.ts'
import { storeOrganization } from '#test/world/organization/stored-organization.ts'
import { type Service, startService } from '#test/world/service.ts'
import { fill } from './http.ts'
import type { HttpResult, HttpWork } from './load/http-load.ts'
import { Load } from './load/load.ts'
import type { SmtpWork } from './load/smtp-load.ts'
import { inTurns, median, type Row } from './report.ts'

/** Of each of the two programs that make the load. */
const httpConnections = 16
const smtpConnections = 20
const octets = 5_000

interface Sizes {
  readonly requests?: number
  readonly messages?: number
  readonly rounds?: number
}

/** Two api processes against one, and two mx processes against one, on one PostgreSQL: the server that the tests use, else
 *  one of its own. The load comes from the same two programs whichever it is, as much of it in all. */
export async function scale({ requests = 4_000, messages = 2_000, rounds = 7 }: Sizes = {}): Promise<Row[]> {
  await using resources = new AsyncDisposableStack()
  const server = process.env.TEST_DATABASE_URL === undefined && resources.use(await startPostgres())
  const home = resources.use(server ? await homeAt(server.url) : await databaseHome())
  // A key may ask 600 times a minute.
  const keys = Math.ceil(((rounds + 1) * requests * 2) / 500)
  const asks = await fill(home, Math.ceil(keys / 5), (_id, key) => ({ path: '/v1/labels', key }))
  const mailboxes = Array.from({ length: 10 }, (_, n) => `ada${n}`)
  const { addresses: recipients } = await storeOrganization(home, { domain: 'scale.test', mailboxes })

  const dns = resources.use(await startDnsServer({}))
  const start = async (role: string) => {
    const service = await startService({ ...home.env, MAILROOM_DNS_SERVERS: dns.address }, ['serve', '--roles', role])
    resources.defer(async () => void (await service.end('SIGTERM')))
    return service
  }
  const api = [await start('api'), await start('api')] as const
  const mx = [await start('mx'), await start('mx')] as const

  const http = [0, 1].map(() => resources.use(new Load<HttpWork, HttpResult>('http-load.ts')))
  const ask = async (load: Load<HttpWork, HttpResult>, to: Service, half: number) => {
    const port = Number(new URL(to.http).port)
    const own = asks.filter((_, n) => n % 2 === half)
    const { ms, statuses } = await load.run({ port, connections: httpConnections, requests: requests / 2, asks: own })
    assert.deepEqual(statuses, { 200: requests / 2 }, 'every request is answered')
    return ms
  }
  const smtp = [0, 1].map(() => resources.use(new Load<SmtpWork, number>('smtp-load.ts')))
  const send = (load: Load<SmtpWork, number>, to: Service) =>
    load.run({ port: to.smtp.port, connections: smtpConnections, messages: messages / 2, recipients, octets })

  const [apiRounds, mxRounds] = [
    await inTurns(rounds, ...oneAndTwo(api, requests, (at, n) => ask(loadOf(http, n), at, n))),
    await inTurns(rounds, ...oneAndTwo(mx, messages, (at, n) => send(loadOf(smtp, n), at))),
  ]
  return [...rowsOf('api', 'request', apiRounds), ...rowsOf('mx', 'message', mxRounds)]
}

interface Round {
  readonly perSecond: number
  /** Of the processes, in milliseconds for each. */
  readonly cpu: number
}

/** The same work done by the first process alone, and by both. `half` answers how long half of it took. */
function oneAndTwo(
  processes: readonly [Service, Service],
  count: number,
  half: (at: Service, number: number) => Promise<number>,
): [() => Promise<Round>, () => Promise<Round>] {
  const cpu = async () => {
    const [one, other] = await Promise.all(processes.map(({ process }) => cpuTime(process.pid)))
    return (one ?? 0) + (other ?? 0)
  }
  const run = (used: readonly [Service, Service]) => async () => {
    const before = await cpu()
    const ms = Math.max(...(await Promise.all(used.map(half))))
    return { perSecond: (count / ms) * 1_000, cpu: ((await cpu()) - before) / count }
  }
  const [first, second] = processes
  return [run([first, first]), run([first, second])]
}

function rowsOf(role: string, unit: string, rounds: readonly { floor: Round; ours: Round }[]): Row[] {
  const of = (which: 'floor' | 'ours', what: keyof Round) => median(rounds.map((one) => one[which][what]))
  return [
    {
      what: `${unit}s a second by two ${role} processes, against one`,
      value: median(rounds.map(({ ours, floor }) => ours.perSecond / floor.perSecond)),
      unit: '×',
      from: `${of('ours', 'perSecond').toFixed(0)} against ${of('floor', 'perSecond').toFixed(0)}`,
    },
    {
      what: `CPU time of a ${unit} in them`,
      value: median(rounds.map(({ ours, floor }) => ours.cpu / floor.cpu)),
      unit: '×',
      from: `${of('ours', 'cpu').toFixed(2)} ms against ${of('floor', 'cpu').toFixed(2)} ms`,
    },
  ]
}

function loadOf<T>(loads: readonly T[], number: number): T {
  const load = loads[number]
  assert.ok(load)
  return load
}
