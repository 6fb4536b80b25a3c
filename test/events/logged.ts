import { EventEmitter } from 'node:events'
import { sql } from 'kysely'
import { pino } from 'pino'
import type { Db } from '#/base/db/schema.ts'
import { EventFeed } from '#/base/event-log/feed.ts'
import { boundsOf } from '#/base/event-log/log.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import type { Answer } from '#test/world/sockets/http-client.ts'

const never = new AbortController().signal

/** Resolves once all events can be read that have been committed. On a server a feed tells when transactions of other tests have ended
 *  too, before which a reader or webhook that begins now would begin before these events. */
export async function untilReadable(db: Db): Promise<void> {
  const { rows } = await sql<{ position: number; organization: string }>`
    select position, organization_id as organization from events order by position desc limit 1`.execute(db)
  const [last] = rows
  const isReadable = async () => !last || (await boundsOf(db)).settled > last.position
  if (!last || (await isReadable())) return
  await using feed = new EventFeed({ db, commits: new EventEmitter() }, pino({ level: 'silent' }))
  using watch = feed.watch(last.organization)
  for (let seen = watch.version; !(await isReadable()); seen = watch.version) await watch.changed(seen, 2 ** 30, never)
}

/** All events of these types that have been committed. */
export async function logged(organization: TestOrganization, types: string, options = {}): Promise<Answer['body'][]> {
  await untilReadable(organization.world.db)
  const body = await organization.bodyOf(200, 'GET', `/v1/events?types=${types}`, undefined, options)
  return body.data
}
