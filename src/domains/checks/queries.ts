import { sql } from 'kysely'
import { type Lease, Leases } from '#/base/db/leases.ts'
import type { CheckedRecord } from '#/base/db/schema/domains.ts'
import type { Db, Tx } from '#/base/db/schema.ts'
import type { SigningKey } from '../dkim/make-keys.ts'
import { type StandingRow, standingColumns, standingFrom } from '../queries.ts'
import type { Standing } from './standing.ts'

/** Well above the longest check, so that no domain is claimed a second time meanwhile. */
export const checkLeases = new Leases('domains', 180_000)

/** The lease to check a domain. */
export interface Claim extends Lease<string> {
  readonly organizationId: string
}

/** Claims the domain that is due for the longest time. */
export async function claimDue(db: Db, now: Date): Promise<Claim | undefined> {
  const due = sql`next_check_at <= ${now}`
  const [claim] = await checkLeases.claim<Claim>(db, now, {
    chosen: sql`
      select id from domains where ${due} and ${checkLeases.free(now)}
      order by next_check_at limit 1 for no key update skip locked`,
    due,
    returning: sql`organization_id as "organizationId"`,
  })
  return claim
}

/** Schedules the next check. */
export async function release(db: Db, claim: Claim, dueAt: Date): Promise<void> {
  await checkLeases.release(db, [claim], sql`next_check_at = ${dueAt}`)
}

/** One organization's enrolment of a domain. */
export interface Contender {
  readonly id: string
  readonly organizationId: string
  readonly epoch: number
  readonly standing: Standing
}

/** Locks all enrolments of the domain. All callers lock in one order, so that no two checks deadlock. */
export async function lockContenders(tx: Tx, domain: string): Promise<Contender[]> {
  const { rows } = await sql<StandingRow & { id: string; organization_id: string; lease_epoch: number }>`
    select id, organization_id, lease_epoch, ${standingColumns} from domains where domain = ${domain}
    order by id for no key update`.execute(tx)
  return rows.map((row) => ({
    ...{ id: row.id, organizationId: row.organization_id, epoch: row.lease_epoch },
    standing: standingFrom(row),
  }))
}

export async function writeCheck(
  tx: Tx,
  { id, organizationId }: Claim,
  checked: { standing: Standing; findings: readonly CheckedRecord[]; now: Date; nextCheckAt: Date | null },
): Promise<void> {
  const { status, challengedAt, ownership, receiving } = checked.standing
  await tx
    .updateTable('domains')
    .set({
      status,
      challenged_at: challengedAt,
      ownership_verified_at: ownership.verifiedAt,
      ownership_missing_since: ownership.missing?.since ?? null,
      ownership_missing_times: ownership.missing?.times ?? 0,
      receiving_verified_at: receiving.verifiedAt,
      receiving_missing_since: receiving.missing?.since ?? null,
      receiving_missing_times: receiving.missing?.times ?? 0,
      findings: JSON.stringify(checked.findings),
      last_checked_at: checked.now,
      next_check_at: checked.nextCheckAt,
      leased_until: null,
    })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .execute()
}

/** Fails other organizations' enrolments of the domain, now that one has proven it. */
export async function failOthers(tx: Tx, domain: string, id: string): Promise<void> {
  await tx
    .updateTable('domains')
    .set({ status: 'failed', next_check_at: null })
    .where('domain', '=', domain)
    .where('id', '!=', id)
    .execute()
}

export async function insertKeys(
  tx: Tx,
  { organizationId, id: domainId }: Pick<Claim, 'organizationId' | 'id'>,
  keys: readonly SigningKey[],
  now: Date,
): Promise<void> {
  await tx
    .insertInto('dkim_keys')
    .values(
      keys.map(({ id, selector, algorithm, publicKey, sealed }) => ({
        id,
        organization_id: organizationId,
        domain_id: domainId,
        selector,
        algorithm,
        public_key: publicKey,
        private_key: sealed,
        created_at: now,
        seen_at: null,
        retires_at: null,
      })),
    )
    .execute()
}

/** Keys sign from the time when their records were first found. */
export async function markSeen(
  tx: Tx,
  { organizationId, id }: Pick<Claim, 'organizationId' | 'id'>,
  selectors: readonly string[],
  now: Date,
) {
  await sql`
    update dkim_keys set seen_at = ${now}
    where organization_id = ${organizationId} and domain_id = ${id} and selector = any (${selectors}::text[]) and seen_at is null`.execute(
    tx,
  )
}

/** Keys retire once a newer one of their kind was found. */
export async function retireKeys(tx: Tx, { organizationId, id }: Claim, retiresAt: Date): Promise<void> {
  await sql`
    update dkim_keys old set retires_at = ${retiresAt}
    where organization_id = ${organizationId} and domain_id = ${id} and retires_at is null and exists (
      select from dkim_keys new
      where new.domain_id = old.domain_id and new.algorithm = old.algorithm and new.seen_at is not null
        and (new.created_at, new.id) > (old.created_at, old.id)
    )`.execute(tx)
}

export async function deleteRetired(tx: Tx, { organizationId, id }: Claim, now: Date): Promise<void> {
  await tx
    .deleteFrom('dkim_keys')
    .where('organization_id', '=', organizationId)
    .where('domain_id', '=', id)
    .where('retires_at', '<=', now)
    .execute()
}
