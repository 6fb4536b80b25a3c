import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { Db } from '#/db/schema.ts'
import { boundsOf } from '#/events/log.ts'
import type { Answer } from '#test/sockets/http-client.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { until } from '#test/world/until.ts'

/** Resolves once all events can be read that have been committed. On a server this waits for transactions of other tests too, and
 *  until then a reader or webhook that begins now begins before these events. */
export async function untilReadable(db: Db): Promise<void> {
  const { rows } = await sql<{ last: number }>`select coalesce(max(position), 0) as last from events`.execute(db)
  const last = rows[0]?.last ?? 0
  await until(async () => (await boundsOf(db)).settled > last)
}

/** All events of these types that have been committed. */
export async function logged(organization: TestOrganization, types: string, options = {}): Promise<Answer['body'][]> {
  await untilReadable(organization.world.db)
  const { status, body } = await organization.request('GET', `/v1/events?types=${types}`, undefined, options)
  assert.equal(status, 200)
  return body.data
}
