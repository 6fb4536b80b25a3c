import type { Db } from '#/base/db/schema.ts'
import type { Usage } from './usage.ts'

/** An organization's use and limits; the store of mail counts `storageUsed`. The day is the UTC day of the database's clock,
 *  as for the sending allowance. */
export async function usageOf(db: Db, organizationId: string, storageUsed: number): Promise<Usage> {
  const row = await db
    .selectFrom('organizations')
    .innerJoin('plans', 'plans.name', 'organizations.plan')
    .innerJoin('organization_usage as used', 'used.organization_id', 'organizations.id')
    .leftJoin('sends', (join) =>
      join
        .onRef('sends.organization_id', '=', 'organizations.id')
        .on(({ eb, fn, val, cast }) =>
          eb('sends.day', '=', cast<string>(fn('timezone', [val('UTC'), fn('now')]), 'date')),
        ),
    )
    .select([
      'plans.name as plan',
      'used.mailboxes as mailboxesUsed',
      'plans.mailboxes as mailboxesLimit',
      'used.domains as domainsUsed',
      'plans.domains as domainsLimit',
      'plans.storage_bytes as storageLimit',
      'sends.recipients as sentToday',
      'plans.sends_per_day as sendsLimit',
    ])
    .where('organizations.id', '=', organizationId)
    .executeTakeFirstOrThrow()
  return {
    plan: row.plan,
    mailboxes: { used: row.mailboxesUsed, limit: row.mailboxesLimit },
    domains: { used: row.domainsUsed, limit: row.domainsLimit },
    storage: { used: storageUsed, limit: row.storageLimit },
    sending: { used: row.sentToday ?? 0, limit: row.sendsLimit },
  }
}
