import type { Db, Tx } from '#/base/db/schema.ts'
import type { MemberRef } from '#/people/members/member.ts'

/** A passkey as its member sees it. */
export interface Passkey {
  readonly id: string
  readonly name: string
  readonly created_at: Date
  readonly last_used_at: Date | null
}

/** The data that creates and verifies a signature. */
export interface Credential {
  readonly credential_id: Buffer
  readonly public_key: Buffer
  readonly counter: number
  readonly transports: string[]
}

/** A passkey used to sign in, and its member. */
export interface HeldPasskey extends MemberRef, Pick<Credential, 'public_key'> {
  readonly id: string
  readonly name: string
}

const shown = ['id', 'name', 'created_at', 'last_used_at'] as const

/** Oldest first. */
export function passkeysOf(
  db: Db,
  { organizationId, memberId }: MemberRef,
): Promise<(Passkey & Pick<Credential, 'credential_id' | 'transports'>)[]> {
  return db
    .selectFrom('member_passkeys')
    .select([...shown, 'credential_id', 'transports'])
    .where('organization_id', '=', organizationId)
    .where('member_id', '=', memberId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** The passkey with that credential id, in any organization: a sign-in gives nothing else. */
export async function passkeyWith(db: Db, credentialId: Buffer): Promise<HeldPasskey | undefined> {
  return await db
    .selectFrom('member_passkeys')
    .select(['id', 'name', 'public_key', 'organization_id as organizationId', 'member_id as memberId'])
    .where('credential_id', '=', credentialId)
    .executeTakeFirst()
}

/** Undefined if the credential id is taken. */
export async function insertPasskey(
  tx: Tx,
  { organizationId, memberId }: MemberRef,
  passkey: Credential & { readonly name: string; readonly created_at: Date },
): Promise<Passkey | undefined> {
  return await tx
    .insertInto('member_passkeys')
    .values({ organization_id: organizationId, member_id: memberId, ...passkey })
    .onConflict((conflict) => conflict.column('credential_id').doNothing())
    .returning(shown)
    .executeTakeFirst()
}

/** Records a use. A counter that does not increase belongs to a copy of the passkey. If it stays 0 there is no such check
 *  (WebAuthn, section 6.1.1). */
export async function usePasskey(
  tx: Tx,
  { organizationId, id }: Pick<HeldPasskey, 'organizationId' | 'id'>,
  { counter, now }: { readonly counter: number; readonly now: Date },
): Promise<'used' | 'copied' | 'gone'> {
  const passkey = await tx
    .selectFrom('member_passkeys')
    .select('counter')
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!passkey) return 'gone'
  if (counter <= passkey.counter && passkey.counter + counter > 0) return 'copied'
  await tx
    .updateTable('member_passkeys')
    .set({ counter, last_used_at: now })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .execute()
  return 'used'
}

/** The earlier name; undefined if the member has no such passkey. */
export async function renamePasskey(
  tx: Tx,
  { organizationId, memberId }: MemberRef,
  { id, name }: { readonly id: string; readonly name: string },
): Promise<{ readonly before: string; readonly passkey: Passkey } | undefined> {
  const before = await tx
    .selectFrom('member_passkeys')
    .select('name')
    .where('organization_id', '=', organizationId)
    .where('member_id', '=', memberId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!before) return undefined
  const passkey = await tx
    .updateTable('member_passkeys')
    .set({ name })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .returning(shown)
    .executeTakeFirstOrThrow()
  return { before: before.name, passkey }
}

/** The name; undefined if the member has no such passkey. */
export async function deletePasskey(
  tx: Tx,
  { organizationId, memberId }: MemberRef,
  id: string,
): Promise<{ readonly name: string } | undefined> {
  return await tx
    .deleteFrom('member_passkeys')
    .where('organization_id', '=', organizationId)
    .where('member_id', '=', memberId)
    .where('id', '=', id)
    .returning('name')
    .executeTakeFirst()
}

/** Until the end of the transaction no other changes the member's ways to sign in. */
export async function lockMember(tx: Tx, { organizationId, memberId }: MemberRef): Promise<void> {
  await tx
    .selectFrom('members')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('id', '=', memberId)
    .forNoKeyUpdate() // A concurrent sign-in refers to the member
    .execute()
}
