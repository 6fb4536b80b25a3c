import { sql } from 'kysely'
import type { Db, Tx } from '#/base/db/schema.ts'
import { untagged } from '#/formats/mime/address/address.ts'
import { dayOf } from './arrival.ts'

/** Reports that a forwarding mailbox returns in a UTC day: to one author, and to all. */
const mostToOne = 5
const mostOfMailbox = 100

/** The mailbox that forwarded the message of a report. */
export interface Forwarded {
  readonly mailboxId: string
  /** The mailbox or its domain is suspended. */
  readonly suspended: boolean
  /** The limit of the day is reached, for this author or for all. */
  readonly spent: boolean
}

interface Asked {
  readonly organizationId: string
  /** The mailbox's domain. */
  readonly domain: string
  /** The mailbox's id or a prefix of it. */
  readonly mailbox: string
  readonly returnTo: string
}

/** Undefined if the organization has no such mailbox. */
export async function forwardedBy(
  db: Db,
  { organizationId, domain, mailbox, returnTo }: Asked,
  now: Date,
): Promise<Forwarded | undefined> {
  const digits = mailbox.replaceAll('-', '')
  const { rows } = await sql<Forwarded>`
    select mailbox.id as "mailboxId", mailbox.suspended_at is not null or home.suspended_at is not null as suspended,
      (settings.returned_on is not distinct from ${dayOf(now)} and settings.returned >= ${mostOfMailbox}) or exists (
        select from returned_reports report
        where report.mailbox_id = mailbox.id and report.address = ${untagged(returnTo)}
          and report.returned_on = ${dayOf(now)} and report.returned >= ${mostToOne}
      ) as spent
    from domains home
    join mailboxes mailbox on mailbox.domain_id = home.id and mailbox.organization_id = home.organization_id
    join forwarding settings on settings.mailbox_id = mailbox.id
    where home.organization_id = ${organizationId} and home.domain = ${domain}
      and mailbox.id between ${digits.padEnd(32, '0')}::uuid and ${digits.padEnd(32, 'f')}::uuid
    order by settings.relayed_on desc nulls last, mailbox.id
    limit 1`.execute(db)
  return rows[0]
}

/** Counts a returned report. False if the limit of the day is reached, also by concurrent calls in other processes. */
export async function countReturned(
  tx: Tx,
  { organizationId, mailboxId, returnTo }: Pick<Asked, 'organizationId' | 'returnTo'> & { mailboxId: string },
  now: Date,
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    with room as materialized (
      select mailbox_id from forwarding
      where mailbox_id = ${mailboxId} and organization_id = ${organizationId}
        and (returned_on is distinct from ${dayOf(now)} or returned < ${mostOfMailbox})
      for update
    ), counted as (
      insert into returned_reports as report (mailbox_id, address, returned_on, returned)
      select mailbox_id, ${untagged(returnTo)}, ${dayOf(now)}, 1 from room
      on conflict (mailbox_id, address) do update set returned_on = excluded.returned_on,
          returned = case when report.returned_on = excluded.returned_on then report.returned + 1 else 1 end
        where report.returned_on <> excluded.returned_on or report.returned < ${mostToOne}
      returning mailbox_id
    )
    update forwarding settings
    set returned = case when returned_on = ${dayOf(now)} then returned + 1 else 1 end, returned_on = ${dayOf(now)}
    from counted where settings.mailbox_id = counted.mailbox_id`.execute(tx)
  return numAffectedRows > 0n
}

/** Deletes the counts of past days. */
export async function forgetReturned(db: Db, now: Date): Promise<void> {
  await sql`delete from returned_reports where returned_on < ${dayOf(now)}`.execute(db)
}
