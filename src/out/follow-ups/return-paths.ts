import { sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'
import type { SharedTime } from '#/base/db/time.ts'
import { canonicalDomain, isRewritten, splitAddress } from '#/formats/mime/address/address.ts'
import { type Forwarded, forwardedBy } from '#/out/forwarding/returns.ts'
import { bounceLifetime, type Kept, type Origin, type Srs } from './srs.ts'

/** The original sender behind a rewritten one, and the mailbox that forwarded its mail. */
export interface ReturnPath extends Forwarded {
  readonly returnTo: string
}

/** Finds the original sender by a rewritten one: the address of RCPT, at a domain of the organization. Undefined if we have
 *  not made it, or its mailbox is deleted. */
export function returnPaths({ db, srs, time }: { db: Db; srs: Srs; time: SharedTime }) {
  return async (organizationId: string, recipient: string): Promise<ReturnPath | undefined> => {
    const { local, domain: named } = splitAddress(recipient) ?? { local: '', domain: '' }
    if (!isRewritten(local)) return undefined
    const now = await time(db)
    const domain = canonicalDomain(named) ?? named
    const origin = srs.read(local, domain, now)
    const found = origin && (await addressOf(db, origin, now))
    if (!found) return undefined
    const { address: returnTo, mailbox } = found
    const forwarded = await forwardedBy(db, { organizationId, domain, mailbox, returnTo }, now)
    return forwarded && { ...forwarded, returnTo }
  }
}

type Found = Extract<Origin, { address: string }>

async function addressOf(db: Db, origin: Origin, now: Date): Promise<Found | undefined> {
  if ('address' in origin) return origin
  const row = await db
    .selectFrom('return_paths')
    .select(['address', 'mailbox_id'])
    .where('id', '=', origin.id)
    .where('used_at', '>', new Date(now.getTime() - bounceLifetime))
    .executeTakeFirst()
  return row && { address: row.address, mailbox: row.mailbox_id }
}

export async function keepReturnPath(db: Db, { id, address, mailboxId }: Kept, now: Date): Promise<void> {
  await sql`
    insert into return_paths (id, address, mailbox_id, used_at) values (${id}, ${address}, ${mailboxId}, ${now})
    on conflict (id) do update set used_at = excluded.used_at`.execute(db)
}

/** Deletes those that have expired. */
export async function forgetReturnPaths(db: Db, now: Date): Promise<void> {
  await db
    .deleteFrom('return_paths')
    .where('used_at', '<', new Date(now.getTime() - bounceLifetime))
    .execute()
}
