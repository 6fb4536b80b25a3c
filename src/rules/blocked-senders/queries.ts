import { sql } from 'kysely'
import { microseconds, timeAt } from '#/base/db/microseconds.ts'
import type { Db, Tx } from '#/base/db/schema.ts'
import { clockTime } from '#/base/db/time.ts'
import { type Owner, ownedBy } from '#/base/ownership/owner.ts'
import type { TimedPlace } from '#/http/schemas/cursor.ts'
import type { BlockedSender } from './pattern.ts'

const columns = ['id', 'pattern', 'created_at'] as const

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

/** So many of them behind a place, in the same order. */
export async function blockedSendersAfter(
  db: Db,
  owner: Owner,
  after: TimedPlace | undefined,
  most: number,
): Promise<(BlockedSender & { at: number })[]> {
  const behind = after ? sql`and (created_at, id) < (${timeAt(after.at)}, ${after.id}::uuid)` : sql``
  const { rows } = await sql<BlockedSender & { at: number }>`
    select id, pattern, created_at, ${microseconds('created_at')} as at from blocked_senders
    where ${ownedBy('blocked_senders', owner)} ${behind}
    order by created_at desc, id desc limit ${most}`.execute(db)
  return rows
}

export async function blockedCount(tx: Tx, owner: Owner): Promise<number> {
  const { count } = await tx
    .selectFrom('blocked_senders')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where(ownedBy('blocked_senders', owner))
    .executeTakeFirstOrThrow()
  return count
}

export interface Naming {
  readonly column: 'id' | 'pattern'
  readonly value: string
}

export function blockedNamed(db: Db, owner: Owner, { column, value }: Naming): Promise<BlockedSender | undefined> {
  return db
    .selectFrom('blocked_senders')
    .select(columns)
    .where(ownedBy('blocked_senders', owner))
    .where(column, '=', value)
    .executeTakeFirst()
}

export function insertBlocked(tx: Tx, { organizationId, memberId }: Owner, pattern: string): Promise<BlockedSender> {
  return tx
    .insertInto('blocked_senders')
    .values({
      organization_id: organizationId,
      member_id: memberId,
      pattern,
      // Not the transaction's start: writers are serialized, and the list is in the order of writing.
      created_at: clockTime,
    })
    .returning(columns)
    .executeTakeFirstOrThrow()
}

/** Returns the deleted one, if it existed. */
export function deleteBlocked(tx: Tx, owner: Owner, { column, value }: Naming): Promise<BlockedSender | undefined> {
  return tx
    .deleteFrom('blocked_senders')
    .where(ownedBy('blocked_senders', owner))
    .where(column, '=', value)
    .returning(columns)
    .executeTakeFirst()
}
