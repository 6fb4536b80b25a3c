import { sql } from 'kysely'
import type { Db, Tx } from '#/base/db/schema.ts'
import type { Level } from '#/http/access/caller.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import type { Kind } from '../mailbox.ts'

/** What a member may do with a mailbox. */
export interface Access {
  readonly member_id: string
  readonly email: string
  readonly name: string
  /** `own`: it is the member's own mailbox. */
  readonly level: Level | 'own'
  /** Null for the own one. */
  readonly given_at: Date | null
}

/** The mailbox's own member, then those with whom it is shared, in the order of sharing. */
export async function accessOf(
  db: Db,
  { organizationId, mailboxId }: MailboxRef,
  memberId?: string,
): Promise<Access[]> {
  const { rows } = await sql<Access>`
    select member.id as member_id, member.email, member.name, access.level, access.given_at
    from (
      select member_id, 'own' as level, null as given_at from mailboxes
      where organization_id = ${organizationId} and id = ${mailboxId} and member_id is not null
      union all
      select member_id, level, given_at from mailbox_access
      where organization_id = ${organizationId} and mailbox_id = ${mailboxId} and member_id is distinct from (
        select member_id from mailboxes where organization_id = ${organizationId} and id = ${mailboxId})
    ) access join members member on member.organization_id = ${organizationId} and member.id = access.member_id
    where ${memberId === undefined ? sql`true` : sql`member.id = ${memberId}`}
    order by access.given_at nulls first, member.id`.execute(db)
  return rows
}

export async function levelOf(
  tx: Tx,
  { organizationId, mailboxId }: MailboxRef,
  memberId: string,
): Promise<Level | undefined> {
  const row = await tx
    .selectFrom('mailbox_access')
    .select('level')
    .where('organization_id', '=', organizationId)
    .where('mailbox_id', '=', mailboxId)
    .where('member_id', '=', memberId)
    .executeTakeFirst()
  return row?.level
}

/** Serializes changes of access to the mailbox. */
export async function lockForAccess(
  tx: Tx,
  { organizationId, mailboxId }: MailboxRef,
): Promise<{ address: string; kind: Kind; ownerId: string | null } | undefined> {
  const { rows } = await sql<{ address: string; kind: Kind; ownerId: string | null }>`
    select address, kind, member_id as "ownerId" from mailboxes
    where organization_id = ${organizationId} and id = ${mailboxId} for no key update`.execute(tx)
  return rows[0]
}

/** Keeps the member until the end of the transaction. */
export async function memberForAccess(
  tx: Tx,
  organizationId: string,
  memberId: string,
): Promise<{ email: string } | undefined> {
  const { rows } = await sql<{ email: string }>`
    select email from members where organization_id = ${organizationId} and id = ${memberId} for key share`.execute(tx)
  return rows[0]
}

export async function upsertAccess(
  tx: Tx,
  { organizationId, mailboxId }: MailboxRef,
  memberId: string,
  level: Level,
): Promise<void> {
  await tx
    .insertInto('mailbox_access')
    .values({ organization_id: organizationId, mailbox_id: mailboxId, member_id: memberId, level })
    .onConflict((conflict) => conflict.columns(['organization_id', 'mailbox_id', 'member_id']).doUpdateSet({ level }))
    .execute()
}

/** The level that it was; undefined if there was none. */
export async function deleteAccess(
  tx: Tx,
  { organizationId, mailboxId }: MailboxRef,
  memberId: string,
): Promise<Level | undefined> {
  const row = await tx
    .deleteFrom('mailbox_access')
    .where('organization_id', '=', organizationId)
    .where('mailbox_id', '=', mailboxId)
    .where('member_id', '=', memberId)
    .returning('level')
    .executeTakeFirst()
  return row?.level
}

/** The mailboxes that are a member's own. */
export async function ownMailboxIds(db: Db, organizationId: string, memberId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('mailboxes')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('member_id', '=', memberId)
    .execute()
  return rows.map(({ id }) => id)
}
