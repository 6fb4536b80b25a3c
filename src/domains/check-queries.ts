import { sql } from 'kysely'
import type { CheckedRecord, Db, Tx } from '#/db/schema.ts'
import type { SigningKey } from './dkim.ts'
import { type StandingRow, standingColumns, standingFrom } from './queries.ts'
import type { Standing } from './standing.ts'

/** The right to check a domain: nobody else has it before the lease ends, and then this one is void. */
export interface Claim {
  readonly id: string
  readonly organizationId: string
  readonly epoch: number
}

/** Takes the domain that has been due for longest; one that another process is just taking is passed over. */
export async function claimDue(db: Db, now: Date, leaseEnds: Date): Promise<Claim | undefined> {
  const { rows } = await sql<Claim>`
    update domains set leased_until = ${leaseEnds}, check_epoch = check_epoch + 1
    where id = (
      select id from domains where next_check_at <= ${now} and (leased_until is null or leased_until <= ${now})
      order by next_check_at limit 1 for update skip locked
    )
    returning id, organization_id as "organizationId", check_epoch as epoch`.execute(db)
  return rows[0]
}

/** Lets another check take the domain at that time. */
export async function giveBack(db: Db, { id, organizationId, epoch }: Claim, dueAt: Date): Promise<void> {
  await db
    .updateTable('domains')
    .set({ next_check_at: dueAt, leased_until: null })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where('check_epoch', '=', epoch)
    .execute()
}

/** One organization's claim to a domain. */
export interface Contender {
  readonly id: string
  readonly epoch: number
  readonly standing: Standing
}

/** Every organization's claim to the domain, locked in one order by all, so that whoever decides who has it takes turns. */
export async function lockContenders(tx: Tx, domain: string): Promise<Contender[]> {
  const { rows } = await sql<StandingRow & { id: string; check_epoch: number }>`
    select id, check_epoch, ${standingColumns} from domains where domain = ${domain}
    order by id for no key update`.execute(tx)
  return rows.map((row) => ({ id: row.id, epoch: row.check_epoch, standing: standingFrom(row) }))
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

/** Ends all other claims to the domain, now that one has proven it. */
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

/** From when their records were first found, keys sign. */
export async function markSeen(
  tx: Tx,
  { organizationId, id }: Pick<Claim, 'organizationId' | 'id'>,
  selectors: readonly string[],
  now: Date,
) {
  await tx
    .updateTable('dkim_keys')
    .set({ seen_at: now })
    .where('organization_id', '=', organizationId)
    .where('domain_id', '=', id)
    .where('selector', '=', sql<string>`any(${selectors}::text[])`)
    .where('seen_at', 'is', null)
    .execute()
}

/** Keys retire when a newer one of their kind has been seen. */
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
