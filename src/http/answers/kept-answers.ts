import { sql } from 'kysely'
import type { Db, Tx } from '#/db/schema.ts'

/** Whether this transaction alone works under the key. */
export async function lockKey(tx: Tx, organizationId: string, key: string): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${`${organizationId} ${key}`}, 0)) as locked`.execute(tx)
  return rows[0]?.locked === true
}

/** The sealed answer that is kept under the key. */
export async function keptAnswer(db: Db, organizationId: string, key: string): Promise<Buffer | undefined> {
  const kept = await db
    .selectFrom('idempotency_keys')
    .select('answer')
    .where('organization_id', '=', organizationId)
    .where('key', '=', key)
    .where('created_at', '>', sql<Date>`now() - interval '24 hours'`)
    .executeTakeFirst()
  return kept?.answer
}

/** Deletes expired answers. */
export async function forgetAnswers(db: Db): Promise<void> {
  await db.deleteFrom('idempotency_keys').where('created_at', '<=', sql<Date>`now() - interval '24 hours'`).execute()
}

/** In the transaction of the work: replaces older answers, and a refusal that was stored in between. */
export async function keepAnswer(tx: Tx, organizationId: string, key: string, answer: Buffer): Promise<void> {
  await tx
    .insertInto('idempotency_keys')
    .values({ organization_id: organizationId, key, answer })
    .onConflict((conflict) =>
      conflict.columns(['organization_id', 'key']).doUpdateSet({ answer, created_at: sql<Date>`now()` }),
    )
    .execute()
}

/** After the transaction, and so after its lock: another process may have done the work since, whose answer stays. */
export async function keepRefusal(db: Db, organizationId: string, key: string, answer: Buffer): Promise<void> {
  await sql`
    insert into idempotency_keys as kept (organization_id, key, answer)
    values (${organizationId}, ${key}, ${answer})
    on conflict (organization_id, key) do update set answer = excluded.answer, created_at = now()
    where kept.created_at <= now() - interval '24 hours'`.execute(db)
}
