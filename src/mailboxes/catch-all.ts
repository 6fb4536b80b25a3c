import { sql } from 'kysely'
import type { Db } from '#/db/schema.ts'
import type { MailboxRef } from '#/ports/mail-host.ts'

/** Addresses of catch-all mailboxes, by the id of their domain. */
export async function catchAlls(db: Db): Promise<Map<string, string>> {
  const { rows } = await sql<{ domainId: string; address: string }>`
    select caught.domain_id as "domainId", mailbox.address
    from catch_alls caught join mailboxes mailbox on mailbox.id = caught.mailbox_id`.execute(db)
  return new Map(rows.map(({ domainId, address }) => [domainId, address]))
}

/** Makes the mailbox the catch-all of the domain. Both are of one organization. */
export async function setCatchAll(db: Db, domainId: string, { organizationId, mailboxId }: MailboxRef): Promise<void> {
  await sql`
    insert into catch_alls (domain_id, organization_id, mailbox_id) values (${domainId}, ${organizationId}, ${mailboxId})
    on conflict (domain_id) do update set mailbox_id = excluded.mailbox_id`.execute(db)
}

/** False if there was none. */
export async function removeCatchAll(db: Db, organizationId: string, domainId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('catch_alls')
    .where('organization_id', '=', organizationId)
    .where('domain_id', '=', domainId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
