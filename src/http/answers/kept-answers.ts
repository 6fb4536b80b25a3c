import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '#/base/db/schema.ts'

/** An Idempotency-Key of an organization. */
export interface KeyRef {
  readonly organizationId: string
  readonly key: string
}

/** A key in use, with its sealed answer, or what is sealed of a request that is not answered yet. */
export interface KeyInUse {
  readonly answer: Buffer
  readonly claim: string | null
  /** `left` by a process that died. */
  readonly state: 'answered' | 'running' | 'left'
}

/** Seconds that a claim lasts unless it is extended. */
export const claimSeconds = 30

const expired = (table: string) => sql`${sql.ref(`${table}.created_at`)} <= now() - interval '24 hours'`
const end = sql<Date>`clock_timestamp() + make_interval(secs => ${sql.lit(claimSeconds)})`

/** A claim that lasts longer than any could was made before the clock was set back. */
function hasEnded(table: string): RawBuilder<boolean> {
  const until = sql.ref(`${table}.claimed_until`)
  return sql`(${until} <= clock_timestamp() or ${until} > clock_timestamp() + make_interval(secs => ${sql.lit(2 * claimSeconds)}))`
}

/** Whether this transaction alone works under the key. */
export async function lockKey(tx: Tx, { organizationId, key }: KeyRef): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${`${organizationId} ${key}`}, 0)) as locked`.execute(tx)
  return rows[0]?.locked === true
}

export async function keyInUse(db: Db, { organizationId, key }: KeyRef): Promise<KeyInUse | undefined> {
  const { rows } = await sql<KeyInUse>`
    select answer, claim, case when claimed_until is null then 'answered' when ${hasEnded('kept')} then 'left' else 'running' end as state
    from idempotency_keys kept
    where organization_id = ${organizationId} and key = ${key} and not ${expired('kept')}`.execute(db)
  return rows[0]
}

/** Deletes expired answers. */
export async function forgetAnswers(db: Db): Promise<void> {
  await sql`delete from idempotency_keys kept where ${expired('kept')}`.execute(db)
}

/** In the transaction of the work: replaces older answers, and a refusal that was stored in between. */
export async function keepAnswer(tx: Tx, { organizationId, key }: KeyRef, answer: Buffer): Promise<void> {
  await sql`
    insert into idempotency_keys (organization_id, key, answer) values (${organizationId}, ${key}, ${answer})
    on conflict (organization_id, key)
    do update set answer = excluded.answer, created_at = now(), claim = null, claimed_until = null`.execute(tx)
}

/** After the transaction, and so after its lock: another process may have done the work since, whose answer stays. */
export async function keepRefusal(db: Db, { organizationId, key }: KeyRef, answer: Buffer): Promise<void> {
  await sql`
    insert into idempotency_keys as kept (organization_id, key, answer)
    values (${organizationId}, ${key}, ${answer})
    on conflict (organization_id, key)
    do update set answer = excluded.answer, created_at = now(), claim = null, claimed_until = null
    where ${expired('kept')}`.execute(db)
}

/** Claims a key that is not in use, or that the process which had that other claim has left. False if it is neither. */
export async function claimKey(
  db: Db,
  { organizationId, key }: KeyRef,
  { answer, claim, left = null }: { readonly answer: Buffer; readonly claim: string; readonly left?: string | null },
): Promise<boolean> {
  const { rows } = await sql`
    insert into idempotency_keys as kept (organization_id, key, answer, claim, claimed_until)
    values (${organizationId}, ${key}, ${answer}, ${claim}, ${end})
    on conflict (organization_id, key)
    do update set answer = excluded.answer, created_at = now(), claim = excluded.claim, claimed_until = excluded.claimed_until
    where ${expired('kept')} or kept.claim = ${left}::uuid and ${hasEnded('kept')}
    returning claim`.execute(db)
  return rows.length > 0
}

/** A key that a request has claimed. */
export interface Claimed extends KeyRef {
  readonly claim: string
}

/** Stores what is sealed of the request, or its answer. False if it is answered, or has lost its claim. */
export async function writeClaimed(
  db: Db,
  claimed: Claimed,
  { answer, isAnswered }: { readonly answer: Buffer; readonly isAnswered: boolean },
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update idempotency_keys set answer = ${answer}, claimed_until = case when ${isAnswered}::boolean then null else ${end} end
    where ${held(claimed)}`.execute(db)
  return numAffectedRows > 0n
}

export async function extendClaim(db: Db, claimed: Claimed): Promise<void> {
  await sql`update idempotency_keys set claimed_until = ${end} where ${held(claimed)}`.execute(db)
}

/** Lets the request be repeated at once. */
export async function releaseClaim(db: Db, claimed: Claimed): Promise<void> {
  await sql`update idempotency_keys set claimed_until = clock_timestamp() where ${held(claimed)}`.execute(db)
}

/** Lets the key be used for any request. */
export async function dropClaim(db: Db, claimed: Claimed): Promise<void> {
  await sql`delete from idempotency_keys where ${held(claimed)}`.execute(db)
}

function held({ organizationId, key, claim }: Claimed): RawBuilder<boolean> {
  return sql`organization_id = ${organizationId} and key = ${key} and claim = ${claim}::uuid and claimed_until is not null`
}
