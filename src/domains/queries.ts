import { type RawBuilder, sql } from 'kysely'
import { timeAt } from '#/base/db/microseconds.ts'
import type { Db, Tx } from '#/base/db/schema.ts'
import type { TimedPlace } from '#/http/schemas/cursor.ts'
import type { Standing } from './checks/standing.ts'
import type { Domain, DomainKey } from './domain.ts'

/** JSON has times as texts. */
type KeyRow = Omit<DomainKey, 'madeAt' | 'retiresAt'> & { readonly madeAt: string; readonly retiresAt: string | null }
type Row = Omit<Domain, 'standing' | 'keys'> & StandingRow & { readonly keys: readonly KeyRow[] }

export interface StandingRow {
  status: Standing['status']
  challenged_at: Date
  ownership_verified_at: Date | null
  ownership_missing_since: Date | null
  ownership_missing_times: number
  receiving_verified_at: Date | null
  receiving_missing_since: Date | null
  receiving_missing_times: number
}

export const standingColumns = sql`
  status, challenged_at, ownership_verified_at, ownership_missing_since, ownership_missing_times,
  receiving_verified_at, receiving_missing_since, receiving_missing_times`

/** Enrolments by a condition on `domain`, oldest first. */
async function enrolments(db: Db, condition: RawBuilder<unknown>, most: number | null = null): Promise<Domain[]> {
  const { rows } = await sql<Row>`
    select id, organization_id as "organizationId", domain, ownership_token as token,
      suspended_at is not null as suspended, findings, last_checked_at as "lastCheckedAt",
      next_check_at as "nextCheckAt", created_at as "createdAt", ${standingColumns},
      coalesce((
        select jsonb_agg(jsonb_build_object('selector', selector, 'algorithm', algorithm, 'publicKey', public_key,
          'madeAt', created_at, 'retiresAt', retires_at) order by created_at, algorithm desc)
        from dkim_keys where domain_id = domain.id
      ), '[]') as keys
    from domains domain where ${condition} order by created_at, id limit ${most}::bigint`.execute(db)
  return rows.map(domainFrom)
}

function domainFrom(row: Row): Domain {
  const { id, organizationId, domain, token, suspended, findings, lastCheckedAt, nextCheckAt, createdAt } = row
  const keys = row.keys.map(({ madeAt, retiresAt, ...key }) => ({
    ...key,
    madeAt: new Date(madeAt),
    retiresAt: retiresAt === null ? null : new Date(retiresAt),
  }))
  return {
    ...{ id, organizationId, domain, token, suspended, findings, lastCheckedAt, nextCheckAt, createdAt },
    ...{ standing: standingFrom(row), keys },
  }
}

export function standingFrom(row: StandingRow): Standing {
  const missing = (since: Date | null, times: number) => (since === null ? null : { since, times })
  return {
    status: row.status,
    challengedAt: row.challenged_at,
    ownership: {
      verifiedAt: row.ownership_verified_at,
      missing: missing(row.ownership_missing_since, row.ownership_missing_times),
    },
    receiving: {
      verifiedAt: row.receiving_verified_at,
      missing: missing(row.receiving_missing_since, row.receiving_missing_times),
    },
  }
}

/** Oldest first. */
export function domainsOf(db: Db, organizationId: string): Promise<Domain[]> {
  return enrolments(db, sql`organization_id = ${organizationId}`)
}

/** Up to `limit` of them behind a place, in the same order. */
export function domainsAfter(
  db: Db,
  organizationId: string,
  after: TimedPlace | undefined,
  most: number,
): Promise<Domain[]> {
  const rest = after ? sql`and (created_at, id) > (${timeAt(after.at)}, ${after.id}::uuid)` : sql``
  return enrolments(db, sql`organization_id = ${organizationId} ${rest}`, most)
}

export async function domainById(db: Db, organizationId: string, id: string): Promise<Domain | undefined> {
  return (await enrolments(db, sql`organization_id = ${organizationId} and id = ${id}`))[0]
}

/** Those of all organizations, for the operator and the try-out. */
export function allDomains(db: Db): Promise<Domain[]> {
  return enrolments(db, sql`true`)
}

/** All enrolments of that domain, in ASCII form, or the one with that id. */
export function domainsMeant(db: Db, nameOrId: string): Promise<Domain[]> {
  return enrolments(db, sql`domain = ${nameOrId} or id::text = ${nameOrId}`)
}

/** Undefined if the organization has enrolled the domain already. */
export async function insertDomain(
  tx: Tx,
  organizationId: string,
  enrolment: { domain: string; now: Date; firstCheckAt: Date },
): Promise<string | undefined> {
  const row = await tx
    .insertInto('domains')
    .values({
      organization_id: organizationId,
      domain: enrolment.domain,
      challenged_at: enrolment.now,
      created_at: enrolment.now,
      next_check_at: enrolment.firstCheckAt,
    })
    .onConflict((conflict) => conflict.columns(['organization_id', 'domain']).doNothing())
    .returning('id')
    .executeTakeFirst()
  return row?.id
}

/** Enrols a failed domain again, with a new token. Undefined if there is no failed one. */
export async function restartFailed(
  tx: Tx,
  organizationId: string,
  { domain, now, firstCheckAt }: { domain: string; now: Date; firstCheckAt: Date },
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    update domains set status = 'pending', ownership_token = default, challenged_at = ${now}, created_at = ${now},
      next_check_at = ${firstCheckAt}, last_checked_at = null, leased_until = null, lease_epoch = lease_epoch + 1,
      findings = '[]',
      ownership_verified_at = null, ownership_missing_since = null, ownership_missing_times = 0,
      receiving_verified_at = null, receiving_missing_since = null, receiving_missing_times = 0
    where organization_id = ${organizationId} and domain = ${domain} and status = 'failed'
    returning id`.execute(tx)
  return rows[0]?.id
}

/** Schedules a check now. A current check loses its lease, since it does not know of the change. */
export async function checkSoon(tx: Tx, organizationId: string, id: string, at: Date): Promise<void> {
  await sql`
    update domains set next_check_at = ${at}, leased_until = null, lease_epoch = lease_epoch + 1
    where organization_id = ${organizationId} and id = ${id}`.execute(tx)
}

/** Deletes the signing keys of a domain, or only those whose records were never found. */
export async function deleteKeys(tx: Tx, organizationId: string, domainId: string, unseenOnly = false): Promise<void> {
  await sql`
    delete from dkim_keys where organization_id = ${organizationId} and domain_id = ${domainId}
      and (seen_at is null or not ${unseenOnly}::boolean)`.execute(tx)
}

interface LockedDomain {
  readonly domain: string
  readonly status: Standing['status']
  readonly suspended: boolean
  /** Suspended by itself, not with its organization. */
  readonly suspendedApart: boolean
}

/** Locks the domain, so that no mailbox is added to it. */
export async function lockDomain(tx: Tx, organizationId: string, id: string): Promise<LockedDomain | undefined> {
  const { rows } = await sql<LockedDomain>`
    select domain, status, suspended_at is not null as suspended, suspended_apart_at is not null as "suspendedApart"
    from domains
    where organization_id = ${organizationId} and id = ${id} for update`.execute(tx)
  return rows[0]
}

export async function mailboxesOn(tx: Tx, organizationId: string, domainId: string): Promise<number> {
  const { count } = await tx
    .selectFrom('mailboxes')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('organization_id', '=', organizationId)
    .where('domain_id', '=', domainId)
    .executeTakeFirstOrThrow()
  return count
}

export async function deleteDomain(tx: Tx, organizationId: string, id: string): Promise<void> {
  await tx.deleteFrom('domains').where('organization_id', '=', organizationId).where('id', '=', id).execute()
}

/** Answers whether it is suspended then: also if its organization is. */
export async function setSuspended(tx: Tx, organizationId: string, id: string, suspended: boolean): Promise<boolean> {
  const { rows } = await sql<{ suspended: boolean }>`
    update domains set suspended_apart_at = ${suspended ? sql`coalesce(suspended_apart_at, now())` : sql`null`}
    where organization_id = ${organizationId} and id = ${id}
    returning suspended_at is not null as suspended`.execute(tx)
  return rows[0]?.suspended ?? suspended
}

/** The organization that has verified a domain, given in ASCII form. */
export async function verifiedOwner(db: Db, domain: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('domains')
    .select('organization_id')
    .where('domain', '=', domain)
    .where('status', '=', 'verified')
    .executeTakeFirst()
  return row?.organization_id
}

/** Those of the domains, in ASCII form, that an organization has verified. A unique index allows one each. */
export async function verifiedAmong(db: Db, domains: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('domains')
    .select('domain')
    .where('domain', 'in', domains)
    .where('status', '=', 'verified')
    .execute()
  return new Set(rows.map(({ domain }) => domain))
}
