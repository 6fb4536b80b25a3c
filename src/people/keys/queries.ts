import { type RawBuilder, sql } from 'kysely'
import { microseconds, timeAt } from '#/base/db/microseconds.ts'
import type { Db, Tx } from '#/base/db/schema.ts'
import type { Scope } from '#/http/access/scopes.ts'
import type { PageStart } from '#/http/schemas/cursor.ts'
import type { Key } from './key.ts'
import type { Restrictions } from './restrictions.ts'

const columns = [
  'id',
  'name',
  'prefix',
  'last_four',
  'scopes',
  'created_at',
  'expires_at',
  'last_used_at',
  'revoked_at',
  'mailbox_ids',
  'recipients',
  'networks',
  'requests_per_minute',
] as const

/** Oldest first, the revoked and expired ones too. */
export async function keysOf(
  db: Db,
  organizationId: string,
  { limit, offset, after }: PageStart = { limit: 100_000, offset: 0, after: undefined },
): Promise<(Key & { at: number })[]> {
  const behind = after ? sql`and (created_at, id) > (${timeAt(after.at)}, ${after.id}::uuid)` : sql``
  const { rows } = await sql<Key & { at: number }>`
    select ${sql.join(columns.map((column) => sql.ref(column)))}, ${microseconds('created_at')} as at from api_keys
    where organization_id = ${organizationId} ${behind}
    order by created_at, id limit ${limit} offset ${offset}`.execute(db)
  return rows
}

export async function keyCount(db: Db, organizationId: string): Promise<number> {
  const { count } = await db
    .selectFrom('api_keys')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow()
  return count
}

/** Those that are neither revoked nor expired at `now`. */
export async function liveKeyCount(tx: Tx, organizationId: string, now: Date): Promise<number> {
  const { count } = await tx
    .selectFrom('api_keys')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('organization_id', '=', organizationId)
    .where('revoked_at', 'is', null)
    .where(({ or, eb }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .executeTakeFirstOrThrow()
  return count
}

export async function insertKey(
  tx: Tx,
  organizationId: string,
  fields: Restrictions & Pick<Key, 'name' | 'prefix' | 'last_four' | 'expires_at'> & { hash: Buffer; scopes: Scope[] },
): Promise<Key> {
  const row = await tx
    .insertInto('api_keys')
    .values({ organization_id: organizationId, ...fields })
    .returning(columns)
    .executeTakeFirstOrThrow()
  return asKey(row)
}

/** Undefined if there is no such key or it was revoked before. The operator revokes by id alone, without an organization: a
 *  leaked key must be revoked at once. */
export async function revokeLiveKey(
  tx: Tx,
  id: string,
  now: Date,
  organizationId: string | undefined,
): Promise<(Key & { organization_id: string }) | undefined> {
  const row = await tx
    .updateTable('api_keys')
    .set({ revoked_at: now })
    .where('id', '=', id)
    .where(isOf(organizationId))
    .where('revoked_at', 'is', null)
    .returning(columns)
    .returning('organization_id')
    .executeTakeFirst()
  return row && asKey(row)
}

/** The key with that id, of an organization or of any. */
export async function keyById(db: Db, id: string, organizationId: string | undefined): Promise<Key | undefined> {
  const row = await db
    .selectFrom('api_keys')
    .select(columns)
    .where('id', '=', id)
    .where(isOf(organizationId))
    .executeTakeFirst()
  return row && asKey(row)
}

function isOf(organizationId: string | undefined): RawBuilder<boolean> {
  return organizationId === undefined ? sql`true` : sql`organization_id = ${organizationId}`
}

/** Only valid scopes are ever stored. */
function asKey<Row extends { scopes: string[] }>(row: Row): Row & { scopes: Scope[] } {
  return row as Row & { scopes: Scope[] }
}
