import { sql } from 'kysely'
import type { Db, Tx } from '#/base/db/schema.ts'
import type { MemberRef } from '#/people/members/member.ts'

/** A stored secret. It is in effect once enabled. */
export interface StoredTotp {
  readonly secret: Buffer
  readonly enabled_at: Date | null
}

export function totpOf(db: Db, { organizationId, memberId }: MemberRef): Promise<StoredTotp | undefined> {
  return db
    .selectFrom('member_totp')
    .select(['secret', 'enabled_at'])
    .where('organization_id', '=', organizationId)
    .where('member_id', '=', memberId)
    .executeTakeFirst()
}

/** Replaces one that was never enabled. False if one is enabled. */
export async function insertTotp(db: Db, { organizationId, memberId }: MemberRef, secret: Buffer): Promise<boolean> {
  const { rows } = await sql`
    insert into member_totp (organization_id, member_id, secret) values (${organizationId}, ${memberId}, ${secret})
    on conflict (organization_id, member_id) do update set secret = excluded.secret, last_step = null
      where member_totp.enabled_at is null
    returning 1`.execute(db)
  return rows.length > 0
}

/** False if another request was first, or the secret was replaced. */
export async function enableTotp(
  tx: Tx,
  { organizationId, memberId }: MemberRef,
  { secret, step, now }: { readonly secret: Buffer; readonly step: number; readonly now: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('member_totp')
    .set({ enabled_at: now, last_step: step })
    .where('organization_id', '=', organizationId)
    .where('member_id', '=', memberId)
    .where('secret', '=', secret)
    .where('enabled_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Uses up all codes until that step. False if that or a later code was used before, in any process. */
export async function useStep(db: Db, { organizationId, memberId }: MemberRef, step: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('member_totp')
    .set({ last_step: step })
    .where('organization_id', '=', organizationId)
    .where('member_id', '=', memberId)
    .where(({ or, eb }) => or([eb('last_step', 'is', null), eb('last_step', '<', step)]))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Also deletes the recovery codes. False if it was not enabled. */
export async function deleteTotp(tx: Tx, { organizationId, memberId }: MemberRef): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('member_totp')
    .where('organization_id', '=', organizationId)
    .where('member_id', '=', memberId)
    .where('enabled_at', 'is not', null)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export async function insertRecoveryCodes(
  tx: Tx,
  { organizationId, memberId }: MemberRef,
  hashes: readonly Buffer[],
): Promise<void> {
  const rows = hashes.map((hash) => ({ organization_id: organizationId, member_id: memberId, hash }))
  await tx.insertInto('member_recovery_codes').values(rows).execute()
}

/** Uses up a recovery code. False if it does not exist or is used. */
export async function deleteRecoveryCode(
  db: Db,
  { organizationId, memberId }: MemberRef,
  hash: Buffer,
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('member_recovery_codes')
    .where('organization_id', '=', organizationId)
    .where('member_id', '=', memberId)
    .where('hash', '=', hash)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
