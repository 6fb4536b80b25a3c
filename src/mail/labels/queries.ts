import { sql } from 'kysely'
import type { Db, Tx } from '#/base/db/schema.ts'
import { short } from '#/base/db/short.ts'
import { clockTime } from '#/base/db/time.ts'
import { type Owner, ownedBy, usableBy } from '#/base/ownership/owner.ts'
import { isKeyword } from '#/mail/store/normal-keywords.ts'
import { isReserved } from './keyword.ts'
import type { Label, LabelFields } from './label.ts'

const columns = ['id', 'name', 'keyword', 'colour', 'created_at'] as const

/** Oldest first. */
export async function labelsOf(db: Db, { organizationId, memberId }: Owner): Promise<Label[]> {
  if (memberId === null) {
    const { rows } = await sql<Label>`
      select id, name, keyword, colour, created_at from labels
      where organization_id = ${organizationId} and member_id is null order by created_at, id`.execute(short(db))
    return rows
  }
  const { rows } = await sql<Label>`
    select id, name, keyword, colour, created_at from labels
    where organization_id = ${organizationId} and member_id = ${memberId} order by created_at, id`.execute(short(db))
  return rows
}

export async function labelCount(tx: Tx, owner: Owner): Promise<number> {
  const { count } = await tx
    .selectFrom('labels')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where(ownedBy('labels', owner))
    .executeTakeFirstOrThrow()
  return count
}

export function labelById(db: Db, owner: Owner, id: string): Promise<Label | undefined> {
  return db.selectFrom('labels').select(columns).where(ownedBy('labels', owner)).where('id', '=', id).executeTakeFirst()
}

export function labelByNameKey(tx: Tx, owner: Owner, nameKey: string): Promise<Label | undefined> {
  return tx
    .selectFrom('labels')
    .select(columns)
    .where(ownedBy('labels', owner))
    .where('name_key', '=', nameKey)
    .executeTakeFirst()
}

/** The label with that keyword, id or name, in this order of precedence, that the owner may use. A member's own come before
 *  the organization's. */
export async function labelMeant(
  db: Db,
  owner: Owner,
  text: { as: string; nameKey: string },
): Promise<Label | undefined> {
  const lower = text.as.toLowerCase()
  const { rows } = await sql<Label>`
    select id, name, keyword, colour, created_at from labels
    where ${usableBy('labels', owner)} and (keyword = ${lower} or id::text = ${lower} or name_key = ${text.nameKey})
    order by member_id is null, keyword = ${lower} desc, id::text = ${lower} desc
    limit 1`.execute(db)
  return rows[0]
}

/** Those keywords that have a label which the owner may use. */
export async function keywordsKnown(db: Db, owner: Owner, keywords: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ keyword: string }>`
    select keyword from labels where ${usableBy('labels', owner)} and keyword = any (${keywords}::text[])`.execute(db)
  return new Set(rows.map(({ keyword }) => keyword))
}

/** The derived keyword and its forms with suffixes, as far as labels of the organization or its members, living or deleted,
 *  use them. */
export async function keywordsInUse(tx: Tx, organizationId: string, derived: string): Promise<Set<string>> {
  const { rows } = await sql<{ keyword: string }>`
    select keyword from labels
    where organization_id = ${organizationId} and (keyword = ${derived} or keyword like ${`${derived}-%`})
    union all
    select keyword from retired_keywords
    where organization_id = ${organizationId} and (keyword = ${derived} or keyword like ${`${derived}-%`})`.execute(tx)
  return new Set(rows.map(({ keyword }) => keyword))
}

/** Reclaims the keyword of the owner's last deleted label with this name, if there was one. */
export async function recoverKeyword(tx: Tx, owner: Owner, nameKey: string): Promise<string | undefined> {
  const { rows } = await sql<{ keyword: string }>`
    delete from retired_keywords
    where organization_id = ${owner.organizationId} and keyword = (
      select keyword from retired_keywords
      where ${ownedBy('retired_keywords', owner)} and name_key = ${nameKey}
      order by retired_at desc, keyword desc limit 1)
    returning keyword`.execute(tx)
  return rows[0]?.keyword
}

export function insertLabel(
  tx: Tx,
  { organizationId, memberId }: Owner,
  label: LabelFields & { keyword: string; nameKey: string },
): Promise<Label> {
  const { name, colour, keyword, nameKey } = label
  return tx
    .insertInto('labels')
    .values({
      organization_id: organizationId,
      member_id: memberId,
      name,
      name_key: nameKey,
      keyword,
      colour,
      // Not the transaction's start: writers are serialized, and the list is in the order of writing.
      created_at: clockTime,
    })
    .returning(columns)
    .executeTakeFirstOrThrow()
}

/** Keeps the keyword. */
export function updateLabel(
  tx: Tx,
  owner: Owner,
  id: string,
  change: { name?: string; name_key?: string; colour?: string },
): Promise<Label | undefined> {
  return tx
    .updateTable('labels')
    .set(change)
    .where(ownedBy('labels', owner))
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirst()
}

/** Deletes the label and keeps its keyword for its name, in one statement. */
export async function retireLabel(tx: Tx, owner: Owner, id: string): Promise<Label | undefined> {
  const { rows } = await sql<Label>`
    with gone as (
      delete from labels where ${ownedBy('labels', owner)} and id = ${id} returning *
    ), kept as (
      insert into retired_keywords (organization_id, member_id, name_key, keyword, retired_at)
      select organization_id, member_id, name_key, keyword, clock_timestamp() from gone
    )
    select id, name, keyword, colour, created_at from gone`.execute(tx)
  return rows[0]
}

/** Deletes all labels of an owner, and keeps their keywords in use, since messages still have them. */
export async function retireLabelsOf(tx: Tx, owner: Owner): Promise<void> {
  await sql`
    with gone as (
      delete from labels where ${ownedBy('labels', owner)} returning *
    )
    insert into retired_keywords (organization_id, member_id, name_key, keyword)
    select organization_id, member_id, name_key, keyword from gone`.execute(tx)
}

/** Those of the keywords without a label: it was deleted, or another mail program made them. Keywords of other owners,
 *  living or deleted, are left out. */
export async function orphansAmong(db: Db, owner: Owner, keywords: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ keyword: string }>`
    select keyword from labels
    where organization_id = ${owner.organizationId} and keyword = any(${keywords}::text[])
    union all
    select keyword from retired_keywords
    where organization_id = ${owner.organizationId} and keyword = any(${keywords}::text[])
      and member_id is distinct from ${owner.memberId}::uuid`.execute(db)
  const taken = new Set(rows.map(({ keyword }) => keyword))
  return new Set(keywords.filter((keyword) => isKeyword(keyword) && !isReserved(keyword) && !taken.has(keyword)))
}

/** It has a label again. */
export async function forgetRetired(tx: Tx, { organizationId }: Owner, keyword: string): Promise<void> {
  await sql`
    delete from retired_keywords where organization_id = ${organizationId} and keyword = ${keyword}`.execute(tx)
}
