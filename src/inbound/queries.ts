import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#/db/schema.ts'

/** What the database says of an address that mail is for. */
export interface Found {
  /** Null where nobody has the address; then the rest says nothing. */
  readonly mailbox_id: string | null
  readonly organization_id: string
  readonly member_id: string | null
  readonly private: boolean
  readonly suspended: boolean
  readonly full: boolean
  readonly blocked: boolean
}

export interface Wanted {
  readonly domain: string
  readonly exact: string
  /** Who has it where nobody has the exact one. */
  readonly untagged: string
  /** The patterns that would block the sender. */
  readonly patterns: readonly string[]
}

/** Whom an address reaches. Undefined where the domain is not ours: no organization has it verified. An organization
 *  that has lost a domain to another loses its mail with it. */
export async function findRecipient(db: Db, { domain, exact, untagged, patterns }: Wanted): Promise<Found | undefined> {
  const { rows } = await sql<Found>`
    select box.id as mailbox_id, box.organization_id, box.member_id,
      box.kind = 'private' as private,
      domain.suspended_at is not null or box.suspended as suspended,
      box.used >= box.allowed as full,
      ${isBlocked(patterns)} as blocked
    from domains domain
    left join lateral (
      select mailbox.id, mailbox.organization_id, mailbox.member_id, mailbox.kind,
        mailbox.suspended_at is not null or home.suspended_at is not null as suspended,
        usage.storage_bytes as used, plan.storage_bytes as allowed
      from addresses address
      join mailboxes mailbox on mailbox.id = address.mailbox_id
      join domains home on home.id = mailbox.domain_id
      join organizations organization on organization.id = mailbox.organization_id
      join plans plan on plan.name = organization.plan
      join organization_usage usage on usage.organization_id = organization.id
      where address.organization_id = domain.organization_id and address.address in (${exact}, ${untagged})
      order by address.address = ${exact} desc
      limit 1
    ) box on true
    where domain.domain = ${domain} and domain.status = 'verified'`.execute(db)
  return rows[0]
}

/** Which of these mailboxes do not take mail from the senders that these patterns are about. */
export async function blockingMailboxes(
  db: Db,
  mailboxIds: readonly string[],
  patterns: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    select box.id from mailboxes box where box.id = any (${mailboxIds}::uuid[]) and ${isBlocked(patterns)}`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** By the organization of `box`, or by its member. Two look-ups in the index, which one with `or` would not be. */
function isBlocked(patterns: readonly string[]): RawBuilder<boolean> {
  return sql<boolean>`(
    exists (select from blocked_senders blocked where blocked.organization_id = box.organization_id
      and blocked.member_id is null and blocked.pattern = any (${patterns}::text[]))
    or exists (select from blocked_senders blocked where blocked.organization_id = box.organization_id
      and blocked.member_id = box.member_id and blocked.pattern = any (${patterns}::text[])))`
}

/** The postmaster's address at the first of these domains that has one, else at the domain that was here first. */
export async function findPostmaster(db: Db, domains: readonly string[]): Promise<string | undefined> {
  const { rows } = await sql<{ address: string }>`
    select address.address
    from domains domain
    join addresses address on address.address = 'postmaster@' || domain.domain
      and address.organization_id = domain.organization_id
    where domain.status = 'verified'
    order by array_position(${domains}::text[], domain.domain) nulls last, domain.created_at, domain.id
    limit 1`.execute(db)
  return rows[0]?.address
}
