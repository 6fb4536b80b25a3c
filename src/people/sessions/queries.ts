import { sql } from 'kysely'
import type { Db, Tx } from '#/base/db/schema.ts'
import type { MemberRef } from '#/people/members/member.ts'
import type { InSession } from './for-members.ts'
import { idleMs, longestMs } from './lifetime.ts'
import { forgetChallenges } from './passkeys/challenges.ts'
import { forgetPending } from './single-sign-on/queries.ts'

/** Replaces a member's link. */
export async function replaceLink(
  db: Db,
  { organizationId, memberId }: MemberRef,
  link: { hash: Buffer; expires_at: Date },
): Promise<void> {
  await db
    .insertInto('member_links')
    .values({ organization_id: organizationId, member_id: memberId, ...link })
    .onConflict((conflict) => conflict.columns(['organization_id', 'member_id']).doUpdateSet(link))
    .execute()
}

/** The member whom the link with that hash signs in, and their organization; undefined if none is valid. */
export async function holderOfLink(
  db: Db,
  hash: Buffer,
  now: Date,
): Promise<{ readonly email: string; readonly name: string; readonly organization: string } | undefined> {
  return await db
    .selectFrom('member_links as link')
    .innerJoin('members as member', (join) =>
      join.onRef('member.organization_id', '=', 'link.organization_id').onRef('member.id', '=', 'link.member_id'),
    )
    .innerJoin('organizations as organization', 'organization.id', 'link.organization_id')
    .select(['member.email', 'member.name', 'organization.name as organization'])
    .where('link.hash', '=', hash)
    .where('link.expires_at', '>', now)
    .executeTakeFirst()
}

/** Deletes the link with that hash, of any member; undefined if none is valid. Of two concurrent calls one succeeds. */
export async function consumeLink(tx: Tx, hash: Buffer, now: Date): Promise<MemberRef | undefined> {
  const row = await tx
    .deleteFrom('member_links')
    .where('hash', '=', hash)
    .where('expires_at', '>', now)
    .returning(['organization_id', 'member_id'])
    .executeTakeFirst()
  return row && { organizationId: row.organization_id, memberId: row.member_id }
}

export async function deleteLink(tx: Tx, { organizationId, memberId }: MemberRef): Promise<void> {
  await tx
    .deleteFrom('member_links')
    .where('organization_id', '=', organizationId)
    .where('member_id', '=', memberId)
    .execute()
}

/** The most sessions of a member. One more ends the one that was unused for the longest time. */
const mostSessions = 50

export async function insertSession(
  tx: Tx,
  { organizationId, memberId }: MemberRef,
  session: { hash: Buffer; client_address: string; user_agent: string; confirmed_at?: Date },
  now: Date,
): Promise<void> {
  const { id } = await tx
    .insertInto('member_sessions')
    .values({
      ...{ organization_id: organizationId, member_id: memberId, confirmed_at: now, ...session },
      ...{ created_at: now, last_used_at: new Date(now.getTime() - (now.getTime() % 60_000)) },
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await sql`
    delete from member_sessions where organization_id = ${organizationId} and id in (
      select id from member_sessions
      where organization_id = ${organizationId} and member_id = ${memberId} and id <> ${id}
      order by last_used_at desc, created_at desc offset ${mostSessions - 1}
    )`.execute(tx)
}

/** Newest first, including ended sessions that are not deleted yet. */
export function sessionsOf(db: Db, { organizationId, memberId }: MemberRef) {
  return db
    .selectFrom('member_sessions')
    .select(['id', 'created_at', 'last_used_at', 'client_address', 'user_agent'])
    .where('organization_id', '=', organizationId)
    .where('member_id', '=', memberId)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute()
}

/** The client of the session; undefined if the member has no such session. */
export function deleteSession(tx: Tx, { organizationId, memberId }: MemberRef, id: string) {
  return tx
    .deleteFrom('member_sessions')
    .where('organization_id', '=', organizationId)
    .where('member_id', '=', memberId)
    .where('id', '=', id)
    .returning(['client_address', 'user_agent'])
    .executeTakeFirst()
}

/** Ends all sessions of a member but one. */
export async function deleteOtherSessions(
  tx: Tx,
  { organizationId, memberId }: MemberRef,
  except: string,
): Promise<void> {
  await tx
    .deleteFrom('member_sessions')
    .where('organization_id', '=', organizationId)
    .where('member_id', '=', memberId)
    .where('id', '<>', except)
    .execute()
}

/** When the member last proved who they are. */
export async function confirmedAt(
  db: Db,
  { organizationId, sessionId }: { readonly organizationId: string; readonly sessionId: string },
): Promise<Date | undefined> {
  const row = await db
    .selectFrom('member_sessions')
    .select('confirmed_at')
    .where('organization_id', '=', organizationId)
    .where('id', '=', sessionId)
    .executeTakeFirst()
  return row?.confirmed_at
}

/** False if the member has no such session. */
export async function confirmSession(
  db: Db,
  { organizationId, memberId, sessionId }: InSession,
  now: Date,
): Promise<boolean> {
  const row = await db
    .updateTable('member_sessions')
    .set({ confirmed_at: now })
    .where('organization_id', '=', organizationId)
    .where('member_id', '=', memberId)
    .where('id', '=', sessionId)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Ends the session with that token's hash, of any member: whoever has the token may end it. */
export async function deleteSessionWith(db: Db, hash: Buffer): Promise<void> {
  await db.deleteFrom('member_sessions').where('hash', '=', hash).execute()
}

/** Deletes expired links, sessions, challenges of passkeys and pending single sign-ons. */
export async function forgetSessions(db: Db, now: Date): Promise<void> {
  await forgetChallenges(db, now)
  await forgetPending(db, now)
  await db.deleteFrom('member_links').where('expires_at', '<=', now).execute()
  await db
    .deleteFrom('member_sessions')
    .where(({ or, eb }) =>
      or([
        eb('last_used_at', '<=', new Date(now.getTime() - idleMs)),
        eb('created_at', '<=', new Date(now.getTime() - longestMs)),
      ]),
    )
    .execute()
}
