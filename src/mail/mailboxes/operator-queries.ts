import { sql } from 'kysely'
import type { Db, Tx } from '#/base/db/schema.ts'
import type { Caller } from '#/http/access/caller.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import type { Mailbox } from './mailbox.ts'
import { mailboxColumns } from './queries.ts'

/** A mailbox as the operator sees it. */
export type KnownMailbox = Mailbox & { readonly organizationId: string; readonly organization: string }

/** Mailboxes of one organization or of all, or those with one address, which several organizations can have had over time.
 *  By organization, oldest first. */
export async function knownMailboxes(
  db: Db,
  { organizationId, address }: { organizationId?: string | undefined; address?: string },
): Promise<KnownMailbox[]> {
  const { rows } = await sql<KnownMailbox>`
    select ${mailboxColumns}, organization.id as "organizationId", organization.name as organization
    from mailboxes mailbox
    join domains domain on domain.id = mailbox.domain_id
    join organizations organization on organization.id = mailbox.organization_id
    where ${organizationId === undefined ? sql`true` : sql`mailbox.organization_id = ${organizationId}`}
      and ${address === undefined ? sql`true` : sql`mailbox.address = ${address}`}
    order by lower(organization.name), mailbox.created_at, mailbox.id`.execute(db)
  return rows
}

/** Those that exist for the caller at these addresses, which are in canonical form. */
export async function mailboxesAt(
  db: Db,
  caller: Caller,
  addresses: readonly string[],
): Promise<{ id: string; address: string }[]> {
  return await db
    .selectFrom('mailboxes')
    .select(['id', 'address'])
    .where('organization_id', '=', caller.organizationId)
    .where('address', 'in', addresses)
    .where(caller.managesIn('id'))
    .execute()
}

/** The addresses of mailboxes, by id, without deleted ones. */
export async function addressesOf(db: Db, ids: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; address: string }>`
    select id, address from mailboxes where id = any(${ids}::uuid[])`.execute(db)
  return new Map(rows.map(({ id, address }) => [id, address]))
}

export async function lockMailbox(
  tx: Tx,
  { organizationId, mailboxId }: MailboxRef,
): Promise<{ address: string; suspended: boolean } | undefined> {
  const { rows } = await sql<{ address: string; suspended: boolean }>`
    select address, suspended_at is not null as suspended from mailboxes
    where organization_id = ${organizationId} and id = ${mailboxId} for no key update`.execute(tx)
  return rows[0]
}

export async function setSuspended(db: Db, mailbox: MailboxRef, suspended: boolean): Promise<void> {
  await sql`
    update mailboxes set suspended_at = case when ${suspended}::boolean then coalesce(suspended_at, now()) end
    where organization_id = ${mailbox.organizationId} and id = ${mailbox.mailboxId}`.execute(db)
}

export async function setPasswordHash(db: Db, mailbox: MailboxRef, passwordHash: string): Promise<void> {
  await db
    .updateTable('mailboxes')
    .set({ password_hash: passwordHash })
    .where('organization_id', '=', mailbox.organizationId)
    .where('id', '=', mailbox.mailboxId)
    .execute()
}

/** Locks the domain of the mailbox, as `domainForAddresses` does. */
export async function lockDomainOf(
  tx: Tx,
  { organizationId, mailboxId }: MailboxRef,
): Promise<{ id: string; domain: string } | undefined> {
  const { rows } = await sql<{ id: string; domain: string }>`
    select domain.id, domain.domain from mailboxes mailbox join domains domain on domain.id = mailbox.domain_id
    where mailbox.organization_id = ${organizationId} and mailbox.id = ${mailboxId}
    for no key update of domain`.execute(tx)
  return rows[0]
}

/** Moves these aliases of the mailbox to the oldest other mailbox of the domain, preferably one that is not suspended. */
export async function handAliasesOn(
  tx: Tx,
  { organizationId, mailboxId }: MailboxRef,
  domainId: string,
  aliases: readonly string[],
): Promise<void> {
  await sql`
    update addresses set mailbox_id = successor.id
    from (
      select id from mailboxes
      where organization_id = ${organizationId} and domain_id = ${domainId} and id <> ${mailboxId}
      order by suspended_at is not null, created_at, id limit 1
    ) successor
    where addresses.organization_id = ${organizationId} and addresses.mailbox_id = ${mailboxId}
      and addresses.alias and addresses.address = any(${aliases}::text[])`.execute(tx)
}

/** Deletes the mailbox with its addresses, folders and remaining mail. */
export async function deleteMailbox(tx: Tx, { organizationId, mailboxId }: MailboxRef): Promise<void> {
  await tx.deleteFrom('mailboxes').where('organization_id', '=', organizationId).where('id', '=', mailboxId).execute()
}
