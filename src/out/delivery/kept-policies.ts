import { sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'
import type { KeptPolicies } from '#/out/relay/mta-sts.ts'

/** More domains than any installation mails to in a year. Bounds what strangers' domains can make us store. */
const mostKept = 10_000

/** The MTA-STS policies of domains that mail went to, stored until they expire. */
export function keptPolicies(db: Db): KeptPolicies {
  return {
    async find(domain) {
      const row = await db
        .selectFrom('mta_sts_policies')
        .select(['id', 'mode', 'mx', 'until'])
        .where('domain', '=', domain)
        .executeTakeFirst()
      return row && { id: row.id, policy: { mode: row.mode, mx: row.mx }, until: row.until.getTime() }
    },
    async keep(domain, { id, policy: { mode, mx }, until }) {
      const row = { id, mode, mx: [...mx], until: new Date(until) }
      await db
        .insertInto('mta_sts_policies')
        .values({ domain, ...row })
        .onConflict((conflict) => conflict.column('domain').doUpdateSet(row))
        .execute()
    },
  }
}

/** Deletes expired policies, and of too many those that expire first. */
export async function forgetPolicies(db: Db, now: Date, most = mostKept): Promise<void> {
  await sql`
    delete from mta_sts_policies where until <= ${now} or domain in (
      select domain from mta_sts_policies order by until desc, domain offset ${most}
    )`.execute(db)
}
