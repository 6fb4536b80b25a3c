import { sql } from 'kysely'
import type { Db } from '#/db/schema.ts'
import type { SharedTime } from '#/db/time.ts'
import { splitAddress } from '#/mime/address.ts'
import { isRewritten, type Kept, returnsFor, type Srs } from './srs.ts'

/** Whom mail to one of our rewritten senders goes to, by its address as RCPT has it: undefined where it is none of ours. */
export function returnPaths({ db, srs, time }: { db: Db; srs: Srs; time: SharedTime }) {
  return async (recipient: string): Promise<string | undefined> => {
    const { local } = splitAddress(recipient) ?? { local: '' }
    if (!isRewritten(local)) return undefined
    const now = await time(db)
    const origin = srs.read(local, now)
    if (!origin) return undefined
    return 'address' in origin ? origin.address : await keptAddress(db, origin.id, now)
  }
}

async function keptAddress(db: Db, id: string, now: Date): Promise<string | undefined> {
  const row = await db
    .selectFrom('return_paths')
    .select('address')
    .where('id', '=', id)
    .where('used_at', '>', new Date(now.getTime() - returnsFor))
    .executeTakeFirst()
  return row?.address
}

export async function keepReturnPath(db: Db, { id, address }: Kept, now: Date): Promise<void> {
  await sql`
    insert into return_paths (id, address, used_at) values (${id}, ${address}, ${now})
    on conflict (id) do update set used_at = excluded.used_at`.execute(db)
}

/** Forgets those to which nothing comes back any more. */
export async function forgetReturnPaths(db: Db, now: Date): Promise<void> {
  await db
    .deleteFrom('return_paths')
    .where('used_at', '<', new Date(now.getTime() - returnsFor))
    .execute()
}
