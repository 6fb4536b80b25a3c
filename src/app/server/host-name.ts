import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Db } from '#/base/db/schema.ts'

/** Notes the name under which this process serves, and says if the one that started before had another: mail loops, the greeting and
 *  notices go by it, so all processes need the same. */
export async function noteHostName(db: Db, hostname: string, log: Logger): Promise<void> {
  const { rows } = await sql<{ before: string | null }>`
    with known as (select hostname as before from installation for update)
    update installation set hostname = ${hostname} from known
    where known.before is distinct from ${hostname} returning known.before as before`.execute(db)
  const before = rows[0]?.before ?? null
  if (before === null) return
  log.warn(
    { hostname, before },
    'MAILROOM_HOSTNAME is another one than in the process that started before: unless you are changing it everywhere, set the same in all',
  )
}
