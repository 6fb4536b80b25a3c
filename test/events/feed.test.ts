// On both databases: what one connection commits another is notified of.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { pino } from 'pino'
import { byOperator } from '#/base/audit/actor.ts'
import type { Database } from '#/base/db/open.ts'
import type { Db } from '#/base/db/schema.ts'
import { announceEvents } from '#/base/event-log/announce.ts'
import { appendEvents } from '#/base/event-log/append.ts'
import { EventFeed } from '#/base/event-log/feed.ts'
import { createOrganization } from '#/people/organizations/register.ts'
import { databaseHome } from '#test/world/database/database.ts'
import { ofFile } from '#test/world/of-file.ts'
import { untilReadable } from './logged.ts'

const home = ofFile(await databaseHome())
const database = ofFile(await home.open())
/** Of another process, where the database can have one. */
const elsewhere = database.embedded ? database : ofFile(await home.open())
ofFile(announceEvents(elsewhere))

const log = pino({ level: 'silent' })
const idleMs = 1_000

async function organization(): Promise<string> {
  return (await createOrganization(database.db, { name: randomUUID(), plan: 'team' }, byOperator)).id
}

async function write({ db }: Database, organizationId: string): Promise<void> {
  const event = { organizationId, type: 'label.created', data: { id: null, name: 'A' } } as const
  await db.transaction().execute((tx) => appendEvents(tx, [event]))
}

/** The database, how many statements were sent to it, and the next answer. */
function counted(): { readonly db: Db; readonly count: () => number; readonly next: () => Promise<void> } {
  let count = 0
  let answered = Promise.withResolvers<void>()
  const db = database.db.withPlugin({
    transformQuery: ({ node }) => {
      count++
      return node
    },
    transformResult: async ({ result }) => {
      answered.resolve()
      answered = Promise.withResolvers()
      return result
    },
  })
  return { db, count: () => count, next: () => answered.promise }
}

test('while nothing happens, the log is looked at once a second, for however many readers', async (t) => {
  const { db, count, next } = counted()
  const ids: string[] = []
  while (ids.length < 20) ids.push(await organization())
  // Else the log is looked at again soon, until their own events can be read.
  await untilReadable(database.db)
  t.mock.timers.enable({ apis: ['setInterval'] })
  // It hears of no other process: that it begins to listen is a reason to look, too.
  await using feed = new EventFeed({ db, commits: database.commits }, log)
  using watches = new DisposableStack()
  const waiting = new AbortController()
  const readers = Array.from({ length: 100 }, async (_, number) => {
    const watch = watches.use(feed.watch(ids[number % ids.length] ?? ''))
    while (!waiting.signal.aborted) await watch.changed(watch.version, 60_000, waiting.signal)
  })
  await next()
  for (const looks of [2, 3, 4]) {
    const looked = next()
    t.mock.timers.tick(idleMs)
    await looked
    assert.equal(count(), looks)
  }
  waiting.abort()
  await Promise.all(readers)
})

test('with no reader the log is not looked at', async () => {
  const { db, count } = counted()
  await using _idle = new EventFeed({ ...database, db }, log)
  await using feed = new EventFeed(database, log)
  const organizationId = await organization()
  using watch = feed.watch(organizationId)
  const waiting = new AbortController()
  for (let looks = 0; looks < 3; looks++) {
    await write(database, organizationId)
    await watch.changed(watch.version, idleMs, waiting.signal)
  }
  assert.equal(count(), 0)
})

test('readers hear of events of this and of another process without a look that is due by itself', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const organizationId = await organization()
  await untilReadable(database.db)
  await using feed = new EventFeed(database, log)
  using watch = feed.watch(organizationId)
  const waiting = new AbortController()
  while (watch.settled === undefined) await watch.changed(watch.version, 60_000, waiting.signal)
  let heard = watch.version
  for (const from of [database, elsewhere, elsewhere]) {
    // Again where an older transaction on the server outlasts the looks that follow an event: the next one is stopped.
    for (; watch.version === heard; await watch.changed(heard, 2 * idleMs, waiting.signal))
      await write(from, organizationId)
    heard = watch.version
  }
})
