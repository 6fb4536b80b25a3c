import { sql } from 'kysely'
import type { Db, Tx } from '#/db/schema.ts'
import { type Owner, ownedBy } from '#/organizations/owner.ts'
import { type BlockedSender, patternsAgainst } from './pattern.ts'

const columns = ['id', 'pattern', 'created_at'] as const

/**
 * The pattern that blocks one of the addresses (an envelope sender, the authors in From) from a mailbox, if one does:
 * the organization's patterns, and those of the mailbox's member. That mail to postmaster@ and abuse@ is never blocked
 * (RFC 5321 4.5.1) is for the caller to see to.
 */
export async function blockedFor(
  db: Db,
  { organizationId, memberId }: Owner,
  addresses: Iterable<string>,
): Promise<string | undefined> {
  const patterns = patternsAgainst(addresses)
  if (patterns.length === 0) return undefined
  // Two branches, so that each is a look-up in the index, which `member_id is null or member_id = …` is not.
  const { rows } = await sql<{ pattern: string }>`
    select pattern from blocked_senders
    where organization_id = ${organizationId} and member_id is null and pattern = any(${patterns}::text[])
    union all
    select pattern from blocked_senders
    where organization_id = ${organizationId} and member_id = ${memberId} and pattern = any(${patterns}::text[])
    limit 1`.execute(db)
  return rows[0]?.pattern
}

/** Newest first. */
export function blockedSendersOf(db: Db, owner: Owner): Promise<BlockedSender[]> {
  return db
    .selectFrom('blocked_senders')
    .select(columns)
    .where(ownedBy('blocked_senders', owner))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
}

export async function blockedCount(tx: Tx, owner: Owner): Promise<number> {
  const { count } = await tx
    .selectFrom('blocked_senders')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where(ownedBy('blocked_senders', owner))
    .executeTakeFirstOrThrow()
  return count
}

export function blockedByPattern(tx: Tx, owner: Owner, pattern: string): Promise<BlockedSender | undefined> {
  return tx
    .selectFrom('blocked_senders')
    .select(columns)
    .where(ownedBy('blocked_senders', owner))
    .where('pattern', '=', pattern)
    .executeTakeFirst()
}

export function insertBlocked(tx: Tx, { organizationId, memberId }: Owner, pattern: string): Promise<BlockedSender> {
  return tx
    .insertInto('blocked_senders')
    .values({
      organization_id: organizationId,
      member_id: memberId,
      pattern,
      // Not the transaction's start: writers take turns, and the list is in the order of their turns.
      created_at: sql<Date>`clock_timestamp()`,
    })
    .returning(columns)
    .executeTakeFirstOrThrow()
}

/** Answers what was deleted, if it was there. */
export function deleteBlocked(
  db: Db,
  owner: Owner,
  key: { column: 'id' | 'pattern'; value: string },
): Promise<BlockedSender | undefined> {
  return db
    .deleteFrom('blocked_senders')
    .where(ownedBy('blocked_senders', owner))
    .where(key.column, '=', key.value)
    .returning(columns)
    .executeTakeFirst()
}
