import { sql } from 'kysely'
import type { Db, Tx } from '#/base/db/schema.ts'
import type { MemberRef, Role } from '#/people/members/member.ts'

/** A pending request of a browser to a provider. */
export interface Pending {
  /** SHA-256 of the token in the browser's cookie. */
  readonly hash: Buffer
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  /** A path of ours to which the browser is redirected finally. */
  readonly returnTo: string
  /** The name or id of the organization, as given at the sign-in. */
  readonly organization: string | null
  /** The session to confirm; null for a sign-in. */
  readonly session: { readonly organizationId: string; readonly id: string } | null
  readonly begunAt: Date
}

const columns = [
  ...(['hash', 'state', 'nonce', 'verifier', 'organization'] as const),
  ...(['organization_id', 'session_id', 'return_to', 'begun_at'] as const),
] as const

/** How long a request is pending, in milliseconds. */
const livesMs = 600_000

export async function insertPending(db: Db, { session, ...pending }: Pending): Promise<void> {
  const { hash, state, nonce, verifier, returnTo, organization, begunAt } = pending
  await db
    .insertInto('single_sign_ons')
    .values({
      ...{ hash, state, nonce, verifier, organization, return_to: returnTo, begun_at: begunAt },
      ...{ organization_id: session?.organizationId ?? null, session_id: session?.id ?? null },
    })
    .execute()
}

/** Deletes the pending request of that browser with that state. Of two concurrent answers one gets it. Undefined if there is
 *  none. */
export async function consumePending(
  db: Db,
  { hash, state }: Pick<Pending, 'hash' | 'state'>,
  now: Date,
): Promise<Pending | undefined> {
  const row = await db
    .deleteFrom('single_sign_ons')
    .where('hash', '=', hash)
    .where('state', '=', state)
    .where('begun_at', '>', new Date(now.getTime() - livesMs))
    .returning(columns)
    .executeTakeFirst()
  if (!row) return undefined
  const { organization_id: organizationId, session_id: id, return_to: returnTo, begun_at: begunAt, ...rest } = row
  return { ...rest, returnTo, begunAt, session: organizationId !== null && id !== null ? { organizationId, id } : null }
}

export async function forgetPending(db: Db, now: Date): Promise<void> {
  await db
    .deleteFrom('single_sign_ons')
    .where('begun_at', '<=', new Date(now.getTime() - livesMs))
    .execute()
}

/** A member who may be the person, and their subject at the issuer if known. */
export interface Candidate extends MemberRef {
  readonly role: Role
  readonly subject: string | null
}

/** Members with that subject at the issuer, or with that address, in the order in which they joined. */
export async function candidates(
  db: Db,
  {
    issuer,
    subject,
    address,
    organization,
  }: Record<'issuer' | 'subject' | 'address', string> & {
    readonly organization: string | undefined
  },
): Promise<Candidate[]> {
  const named = organization ?? null
  const { rows } = await sql<Candidate>`
    select member.organization_id as "organizationId", member.id as "memberId", member.role, identity.subject
    from members member
    join organizations organization on organization.id = member.organization_id
    left join member_identities identity
      on identity.organization_id = member.organization_id and identity.member_id = member.id and identity.issuer = ${issuer}
    where (member.organization_id, member.id) in (
        select organization_id, member_id from member_identities where issuer = ${issuer} and subject = ${subject}
        union all
        select organization_id, id from members where lower(email) = lower(${address})
      )
      and (${named}::text is null or lower(organization.name) = lower(${named}) or organization.id::text = lower(${named}))
    order by member.joined_at, member.id`.execute(db)
  return rows
}

/** The organization with that name or id. */
export async function organizationMeant(db: Db, nameOrId: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from organizations where lower(name) = lower(${nameOrId}) or id::text = lower(${nameOrId})
    order by id::text = lower(${nameOrId}) desc limit 1`.execute(db)
  return rows[0]?.id
}

/** Records a member's subject at an issuer. False if they have another one there. */
export async function bindIdentity(
  tx: Tx,
  { organizationId, memberId }: MemberRef,
  { issuer, subject }: { readonly issuer: string; readonly subject: string },
): Promise<boolean> {
  const { rows } = await sql`
    insert into member_identities (organization_id, member_id, issuer, subject)
    values (${organizationId}, ${memberId}, ${issuer}, ${subject})
    on conflict (organization_id, member_id) do update set issuer = excluded.issuer, subject = excluded.subject
    where member_identities.issuer <> excluded.issuer or member_identities.subject = excluded.subject
    returning 1`.execute(tx)
  return rows.length > 0
}

/** Whether the member has signed in at the issuer. */
export async function hasIdentity(db: Db, { organizationId, memberId }: MemberRef, issuer: string): Promise<boolean> {
  const row = await db
    .selectFrom('member_identities')
    .select('issuer')
    .where('organization_id', '=', organizationId)
    .where('member_id', '=', memberId)
    .where('issuer', '=', issuer)
    .executeTakeFirst()
  return row !== undefined
}

/** Deletes a member's subjects. The next sign-in at a provider sets them again. */
export async function forgetIdentity(tx: Tx, { organizationId, memberId }: MemberRef): Promise<void> {
  await tx
    .deleteFrom('member_identities')
    .where('organization_id', '=', organizationId)
    .where('member_id', '=', memberId)
    .execute()
}
