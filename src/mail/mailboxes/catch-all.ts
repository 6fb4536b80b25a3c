import { sql } from 'kysely'
import type { Actor } from '#/base/audit/actor.ts'
import { record } from '#/base/audit/record.ts'
import type { Db, Tx } from '#/base/db/schema.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'

/** Addresses of catch-all mailboxes, by the id of their domain. */
export async function catchAlls(db: Db): Promise<Map<string, string>> {
  const { rows } = await sql<{ domainId: string; address: string }>`
    select caught.domain_id as "domainId", mailbox.address
    from catch_alls caught join mailboxes mailbox on mailbox.id = caught.mailbox_id`.execute(db)
  return new Map(rows.map(({ domainId, address }) => [domainId, address]))
}

/** Makes the mailbox the catch-all of the domain, or with null none. Both are of one organization. Answers whether there was one. */
export async function changeCatchAll(
  tx: Tx,
  { organizationId, id, domain }: { organizationId: string; id: string; domain: string },
  mailbox: { readonly mailboxId: string; readonly mailbox: string } | null,
  by: Actor,
): Promise<boolean> {
  const was = await lockCatchAll(tx, organizationId, id)
  if (mailbox) await setCatchAll(tx, id, { organizationId, mailboxId: mailbox.mailboxId })
  else await removeCatchAll(tx, organizationId, id)
  await record(tx, by, {
    ...{ organizationId, action: 'domain.catch_all_changed', id, name: domain },
    ...{ before: { catch_all: was ?? null }, after: { catch_all: mailbox?.mailbox ?? null } },
  })
  return was !== undefined
}

async function lockCatchAll(tx: Tx, organizationId: string, domainId: string): Promise<string | undefined> {
  const { rows } = await sql<{ address: string }>`
    select mailbox.address from catch_alls caught join mailboxes mailbox on mailbox.id = caught.mailbox_id
    where caught.organization_id = ${organizationId} and caught.domain_id = ${domainId} for update of caught`.execute(
    tx,
  )
  return rows[0]?.address
}

async function setCatchAll(tx: Tx, domainId: string, { organizationId, mailboxId }: MailboxRef): Promise<void> {
  await sql`
    insert into catch_alls (domain_id, organization_id, mailbox_id) values (${domainId}, ${organizationId}, ${mailboxId})
    on conflict (domain_id) do update set mailbox_id = excluded.mailbox_id`.execute(tx)
}

async function removeCatchAll(tx: Tx, organizationId: string, domainId: string): Promise<void> {
  await tx
    .deleteFrom('catch_alls')
    .where('organization_id', '=', organizationId)
    .where('domain_id', '=', domainId)
    .execute()
}
