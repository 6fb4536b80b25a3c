import assert from 'node:assert/strict'
import { byOperator } from '#/base/audit/actor.ts'
import { createKey } from '#/people/keys/keys.ts'
import { type DatabaseHome, databaseHome } from '#test/world/database/database.ts'
import { startDnsServer } from '#test/world/dns/dns-server.ts'
import { cpuTime } from '#test/world/observe/cpu-time.ts'
import { storeOrganization } from '#test/world/organization/stored-organization.ts'
import { startService } from '#test/world/service.ts'
import type { Ask, HttpResult, HttpWork } from './load/http-load.ts'
import { Load } from './load/load.ts'
import type { SmtpWork } from './load/smtp-load.ts'
import { inTurns, median, type Row } from './report.ts'
import { replacedBy } from './without/replaced.ts'

const octets = 5_000
const [smtpConnections, httpConnections] = [20, 16]
const withoutLog = replacedBy('without-log.ts')
/** Messages that requests change, one after the other. */
const changed = 100
/** Of what the service without a log does. */
const least = 0.9

interface Sizes {
  readonly messages?: number
  readonly requests?: number
  readonly rounds?: number
}

/** Mail that arrives, and requests that read and that change, beside the same of a service that writes no event log; each is a process
 *  with a database of its own. */
export async function log({ messages = 1_000, requests = 1_000, rounds = 9 }: Sizes = {}): Promise<Row[]> {
  await using resources = new AsyncDisposableStack()
  const dns = resources.use(await startDnsServer({}))
  const smtp = resources.use(new Load<SmtpWork, number>('smtp-load.ts'))
  const http = resources.use(new Load<HttpWork, HttpResult>('http-load.ts'))

  const start = async (env: Record<string, string>) => {
    const home = resources.use(await databaseHome())
    const { organizationId, addresses } = await storeOrganization(home, {
      domain: 'log.test',
      mailboxes: Array.from({ length: 10 }, (_, n) => `ada${n}`),
    })
    const keys = await keysFor(home, organizationId, 2 * requests * (rounds + 1))
    const service = await startService({ ...home.env, ...env, MAILROOM_DNS_SERVERS: dns.address })
    const costs = async (count: number, work: () => Promise<number>) => {
      const before = await cpuTime(service.process.pid)
      const ms = await work()
      return { perSecond: (count / ms) * 1_000, cpu: ((await cpuTime(service.process.pid)) - before) / count }
    }
    const arrive = () =>
      smtp.run({
        ...{ port: service.smtp.port, connections: smtpConnections, messages, octets },
        recipients: addresses,
      })
    const ask = async (asks: readonly Ask[]) => {
      const port = Number(new URL(service.http).port)
      const { ms, statuses } = await http.run({ port, connections: httpConnections, requests, asks })
      assert.deepEqual(statuses, { 200: requests }, 'every request is answered')
      return ms
    }
    const reads = keys.map((key) => ({ path: '/v1/labels', key }))
    const there = Math.min(changed, Math.floor(messages / addresses.length))
    const changes = Array.from({ length: requests }, (_, n) => ({
      method: 'PATCH',
      path: `/v1/messages/${(n % there) + 1}?mailbox=${addresses[0]}`,
      body: { starred: Math.floor(n / there) % 2 === 0 },
      key: keys[n % keys.length],
    }))
    const round = async () => ({
      arrival: await costs(messages, arrive),
      reads: await costs(requests, () => ask(reads)),
      changes: await costs(requests, () => ask(changes)),
    })
    const end = async () => {
      await service.end('SIGTERM')
      await using database = await home.open()
      const { rows } = await database.pool.query<{ count: number }>(
        "select count(*)::integer as count from events where type like 'message.%'",
      )
      return rows[0]?.count ?? 0
    }
    resources.defer(() => void service.process.kill('SIGKILL'))
    return { round, end }
  }
  const [silent, telling] = [await start(withoutLog), await start({})]
  const results = await inTurns(rounds, silent.round, telling.round)
  assert.equal(await silent.end(), 0, 'no event is told without the log')
  assert.ok((await telling.end()) >= messages * (rounds + 1), 'every message is told of')
  return [
    ...rowsOf({ what: 'messages that arrive', one: 'message', least }, results, ({ arrival }) => arrival),
    ...rowsOf({ what: 'requests that read', one: 'request', least }, results, ({ reads }) => reads),
    ...rowsOf({ what: 'requests that change a message', one: 'request', least }, results, ({ changes }) => changes),
  ]
}

export interface Cost {
  readonly perSecond: number
  /** Of the process, in milliseconds for each. */
  readonly cpu: number
}

/** The rate, and the CPU time. */
export function rowsOf<Round>(
  { what, one, least }: { what: string; one: string; least: number },
  results: readonly { floor: Round; ours: Round }[],
  of: (round: Round) => Cost,
): [Row, Row] {
  const costs = results.map(({ floor, ours }) => ({ floor: of(floor), ours: of(ours) }))
  const usual = (which: 'floor' | 'ours', cost: keyof Cost) => median(costs.map((both) => both[which][cost]))
  return [
    {
      what: `${what}, a second`,
      value: median(costs.map(({ floor, ours }) => ours.perSecond / floor.perSecond)),
      ...{ unit: '×', least },
      from: `${usual('ours', 'perSecond').toFixed(0)} against ${usual('floor', 'perSecond').toFixed(0)}`,
    },
    {
      what: `CPU time of a ${one}`,
      value: median(costs.map(({ floor, ours }) => ours.cpu / floor.cpu)),
      unit: '×',
      from: `${usual('ours', 'cpu').toFixed(2)} ms against ${usual('floor', 'cpu').toFixed(2)} ms`,
    },
  ]
}

/** A key may ask 600 times a minute. */
async function keysFor(home: DatabaseHome, organizationId: string, requests: number): Promise<string[]> {
  await using database = await home.open()
  const key = { name: '', scopes: ['labels:read', 'messages:read', 'messages:write'], expiresAt: null } as const
  const keys: string[] = []
  while (keys.length * 500 < requests)
    keys.push((await createKey(database.db, organizationId, key, Date.now(), byOperator)).secret)
  return keys
}
