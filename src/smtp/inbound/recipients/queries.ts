import { sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'
import { short } from '#/base/db/short.ts'

/** By the organization of `box` or by its member. Two index lookups; a single one with `or` would not use the index. */
const isBlocked = sql`(
  exists (select from blocked_senders blocked where blocked.organization_id = box.organization_id
    and blocked.member_id is null and blocked.pattern = any (wanted.patterns))
  or exists (select from blocked_senders blocked where blocked.organization_id = box.organization_id
    and blocked.member_id = box.member_id and blocked.pattern = any (wanted.patterns)))`

/** The mailbox that an address reaches. */
export interface RecipientRow {
  /** Null for an unknown address; then only `organization_id` is valid. */
  readonly mailbox_id: string | null
  readonly organization_id: string
  readonly member_id: string | null
  readonly private: boolean
  readonly suspended: boolean
  readonly full: boolean
  readonly blocked: boolean
  /** It has forwarding or an auto-reply. */
  readonly follows: boolean
}

export interface RecipientQuery {
  readonly domain: string
  /** Without its tag: no mailbox and no alias has one. */
  readonly address: string
  /** Whether the domain's catch-all applies. */
  readonly catchable: boolean
  /** The patterns that would block the sender. */
  readonly patterns: readonly string[]
}

/** The mailbox of each address, in order; undefined if no organization has verified the domain. An organization that has
 *  lost a domain to another gets no more mail for it. */
export async function findRecipients(db: Db, wanted: readonly RecipientQuery[]): Promise<(RecipientRow | undefined)[]> {
  const { rows } = await sql<RecipientRow & { at: number }>`
    select wanted.at, box.id as mailbox_id, domain.organization_id, box.member_id,
      box.kind = 'private' as private,
      domain.suspended_at is not null or box.suspended as suspended,
      box.used >= box.allowed as full, box.follows,
      ${isBlocked} as blocked
    from jsonb_to_recordset(${JSON.stringify(wanted.map((one, at) => ({ at, ...one })))}::jsonb) as wanted
      (at integer, domain text, address text, catchable boolean, patterns text[])
    join domains domain on domain.domain = wanted.domain and domain.status = 'verified'
    left join lateral (
      select mailbox.id, mailbox.organization_id, mailbox.member_id, mailbox.kind,
        mailbox.suspended_at is not null or home.suspended_at is not null as suspended,
        usage.storage_bytes as used, plan.storage_bytes as allowed,
        coalesce(settings.forward_enabled or settings.reply_enabled, false) as follows
      from (
        select mailbox_id, 1 as rank from addresses
        where organization_id = domain.organization_id and address = wanted.address
        union all
        select mailbox_id, 2 from catch_alls where domain_id = domain.id and wanted.catchable
        order by rank limit 1
      ) address
      join mailboxes mailbox on mailbox.id = address.mailbox_id
      join domains home on home.id = mailbox.domain_id
      join organizations organization on organization.id = mailbox.organization_id
      join plans plan on plan.name = organization.plan
      join organization_usage usage on usage.organization_id = organization.id
      left join forwarding settings on settings.mailbox_id = mailbox.id
    ) box on true`.execute(short(db))
  const found = new Map(rows.map((row) => [row.at, row]))
  return wanted.map((_, at) => found.get(at))
}

export interface Blockable {
  readonly mailboxIds: readonly string[]
  /** The patterns that would block its authors. */
  readonly patterns: readonly string[]
}

/** For each message, the mailboxes that have blocked it. */
export async function findBlocks(db: Db, messages: readonly Blockable[]): Promise<ReadonlySet<string>[]> {
  const wanted = messages.map(({ mailboxIds, patterns }, at) => ({ at, ids: mailboxIds, patterns }))
  const { rows } = await sql<{ at: number; id: string }>`
    select wanted.at, box.id
    from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) as wanted (at integer, ids uuid[], patterns text[])
    join mailboxes box on box.id = any (wanted.ids)
    where ${isBlocked}`.execute(short(db))
  const blocked = messages.map(() => new Set<string>())
  for (const { at, id } of rows) blocked[at]?.add(id)
  return blocked
}

/** The postmaster address of the first of these domains that has one, else of the oldest domain. */
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
