// Every bench in its smallest form, as tests: npm test -- bench/smallest.ts. Part of test:night, since a bench is no part of the product.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { arrival } from './arrival.ts'
import { backlog } from './backlog.ts'
import { events } from './events.ts'
import { filterRuns } from './filter-runs.ts'
import { filters } from './filters.ts'
import { holds } from './holds.ts'
import { http } from './http.ts'
import { imap } from './imap.ts'
import { indexing } from './indexing.ts'
import { log } from './log.ts'
import { memory } from './memory.ts'
import { type Row, table } from './report.ts'
import { scale } from './scale.ts'
import { scheduled } from './scheduled.ts'
import { search } from './search.ts'
import { send } from './send.ts'
import { sign } from './sign.ts'
import { threads } from './threads.ts'
import { webhooks } from './webhooks.ts'

for (const [name, run] of [
  ['http', () => http({ requests: 32, rounds: 1 })],
  ['arrival', () => arrival({ messages: 20, connections: 3, rounds: 1 })],
  ['threads', () => threads({ messages: 2_000, requests: 5 })],
  ['holds', () => holds({ messages: 100, letters: ['2,000 nested parts', '100,000 headers'], repeats: 1 })],
  ['send', () => send({ octets: 100_000, requests: 10, rounds: 0 })],
  ['sign', () => sign({ messages: 10, rounds: 1 })],
  ['scheduled', () => scheduled({ messages: 200 })],
  // They have a PostgreSQL server of their own where the other benches have none: once is enough.
  ...(process.env.TEST_DATABASE_URL === undefined
    ? []
    : [
        ['scale', () => scale({ requests: 64, messages: 64, rounds: 1 })] as const,
        ['events', () => events({ seconds: 1, perSecond: 20, streams: 20 })] as const,
        ['backlog', () => backlog({ events: 50, rounds: 0, several: 2 })] as const,
      ]),
  ['log', () => log({ messages: 20, requests: 8, rounds: 1 })],
  ['memory', () => memory({ messages: 20 })],
  ['search', () => search({ messages: 500, rounds: 1 })],
  ['indexing', () => indexing({ messages: 20, rounds: 1 })],
  ['runs', () => filterRuns({ messages: 600, rounds: 1 })],
  ['filters', () => filters({ count: 10, rounds: 3 })],
  ['imap', () => imap({ messages: 300, rounds: 1, appended: 5, octets: 300_000, synced: 20, idle: 20, arrivals: 3 })],
  ['webhooks', () => webhooks({ events: 50, rounds: 1, waiting: 500 })],
] as const) {
  test(`the bench "${name}" runs, and nothing that it sends goes unanswered`, async () => {
    const rows: readonly Row[] = await run()
    assert.ok(rows.length > 0)
    assert.match(table(name, rows), new RegExp(`^${name}, on `))
  })
}
