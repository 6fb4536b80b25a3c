import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { Db } from '#/db/schema.ts'
import { appendEvents } from '#/events/append.ts'
import type { CrashingService } from '#test/faults/kill/crashing-service.ts'
import { HttpClient } from '#test/sockets/http-client.ts'
import type { DatabaseHome } from '#test/world/database/database.ts'
import type { StoredOrganization } from '#test/world/organization/stored-organization.ts'

const changes = 25

/** Changes by name. */
export class Done {
  readonly acknowledged = new Set<string>()
  /** Without an answer: done or not. */
  readonly unknown = new Set<string>()
  readonly rolledBack = new Set<string>()
}

/** Creates labels, one after the other. Requests without an answer are not repeated. */
async function makeLabels(
  mortal: CrashingService,
  { key }: StoredOrganization,
  writer: string,
  done: Done,
): Promise<void> {
  for (let number = 0; number < changes; number++) {
    const name = `${writer}-${number}`
    done.unknown.add(name)
    const { http } = await mortal.running()
    const answer = await new HttpClient(http)
      .request('POST', '/v1/labels', { key, body: { name } })
      .catch(() => undefined)
    if (answer?.status !== 201) continue
    done.unknown.delete(name)
    done.acknowledged.add(name)
  }
}

/** Has labels made by several, while the service is killed again and again. On a server others write too, in transactions that
 *  commit out of order. */
export async function writeWhileKilled(
  mortal: CrashingService,
  { home, organization, kills }: { home: DatabaseHome; organization: StoredOrganization; kills: number },
): Promise<Done> {
  const done = new Done()
  const writers = ['a', 'b', 'c'].map((writer) => makeLabels(mortal, organization, writer, done))
  if ('DATABASE_URL' in home.env) writers.push(beside(home, organization, done))
  for (let kill = 0; kill < kills; kill++) await mortal.kill({ after: { line: 'request', ms: 20 * kill } })
  await Promise.all(writers)
  return done
}

/** Asserts that every acknowledged change has an event, and nothing that was rolled back. */
export function assertHeard(names: ReadonlySet<string>, { acknowledged, unknown }: Done, ...others: string[]): void {
  assert.deepEqual(
    [...acknowledged].filter((name) => !names.has(name)),
    [],
    'none was missed',
  )
  const known = new Set([...acknowledged, ...unknown, ...others])
  assert.deepEqual(
    [...names].filter((name) => !known.has(name)),
    [],
    'none was rolled back',
  )
}

async function beside(home: DatabaseHome, organization: StoredOrganization, done: Done): Promise<void> {
  await using database = await home.open()
  await commitOutOfOrder(database.db, organization, done)
}

/** Four who tell of labels at the same time, in transactions that commit in another order than they begin, or are rolled back. */
export async function commitOutOfOrder(
  db: Db,
  { organizationId }: Pick<StoredOrganization, 'organizationId'>,
  { acknowledged, rolledBack }: Done,
): Promise<void> {
  const write = async (writer: number) => {
    for (let number = 0; number < changes; number++) {
      const name = `direct-${writer}-${number}`
      const fails = number % 4 === 3
      const writing = db.transaction().execute(async (tx) => {
        await appendEvents(tx, [{ organizationId, type: 'label.created', data: { id: null, name } }])
        for (let trips = Math.random() * 10; trips > 0; trips--) await sql`select`.execute(tx)
        if (fails) throw new Error('rolled back')
      })
      await writing.then(
        () => acknowledged.add(name),
        () => rolledBack.add(name),
      )
    }
  }
  await Promise.all([1, 2, 3, 4].map(write))
}
