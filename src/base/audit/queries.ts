import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'
import { invalid } from '#/base/errors.ts'
import { actions } from './actions.ts'
import type { Actor } from './actor.ts'
import type { Settings } from './record.ts'

/** An entry of the audit trail. */
export interface Entry {
  readonly id: number
  readonly at: Date
  readonly actor: Actor
  readonly action: string
  readonly item: { readonly id: string | null; readonly name: string }
  readonly before: Settings | null
  readonly after: Settings | null
}

export interface EntryFilter {
  /** An action, or the item that actions begin with: `label`. */
  readonly action?: string | undefined
  /** An actor's kind or id, or what its name begins with. */
  readonly actor?: string | undefined
  readonly since?: Date | undefined
  /** Only entries with a lower id: the last of the page before. */
  readonly before?: number | undefined
}

/** An action to look for, or the item that actions begin with. @throws Refusal */
export function actionIn(given: string): string {
  const known = actions.some((action) => action === given || action.startsWith(`${given}.`))
  if (known) return given
  throw invalid('action', `No action "${given}"; there are: ${actions.join(', ')}`)
}

/** Of `audit_entries`, as an `Entry`. */
const entryColumns = sql`id, at, action, before, after,
  json_build_object('kind', actor_kind, 'id', actor_id, 'name', actor_name, 'address', client_address) as actor,
  json_build_object('id', item_id, 'name', item_name) as item`

/** Entries of an organization, or with null of the installation, newest first. */
export async function entriesOf(
  db: Db,
  organizationId: string | null,
  { action, actor, since, before }: EntryFilter,
  limit: number,
): Promise<Entry[]> {
  const given = <T>(value: T | undefined, condition: (value: T) => RawBuilder<unknown>) =>
    value === undefined ? sql`true` : condition(value)
  const { rows } = await sql<Entry>`
    select ${entryColumns} from audit_entries
    where ${organizationId === null ? sql`organization_id is null` : sql`organization_id = ${organizationId}`}
      and ${given(before, (id) => sql`id < ${id}`)}
      and ${given(since, (at) => sql`at >= ${at}`)}
      and ${given(action, (text) => sql`(action = ${text} or split_part(action, '.', 1) = ${text})`)}
      and ${given(actor, (text) => sql`(actor_kind = ${text} or actor_id::text = ${text} or starts_with(actor_name, ${text}))`)}
    order by organization_id desc, id desc -- as in the index
    limit ${limit}`.execute(db)
  return rows
}

/** Changes of who may use these mailboxes, newest first. Of each the newest are read, and nothing else of the trail. */
export async function accessEntriesOf(
  db: Db,
  organizationId: string,
  {
    mailboxIds,
    before = null,
  }: { readonly mailboxIds: readonly string[]; readonly before?: number | undefined | null },
  limit: number,
): Promise<Entry[]> {
  const { rows } = await sql<Entry>`
    select entry.* from unnest(${mailboxIds}::text[]) as mailbox (id) cross join lateral (
      select ${entryColumns} from audit_entries
      where organization_id = ${organizationId} and item_id = mailbox.id and action = 'mailbox.access_changed'
        and id < coalesce(${before}::bigint, ${Number.MAX_SAFE_INTEGER})
      order by id desc limit ${limit}
    ) entry
    order by entry.id desc limit ${limit}`.execute(db)
  return rows
}

/** So many entries are deleted by one statement. */
const atATime = 1_000

/** Deletes entries that are older than 400 days. Ids and times grow together, so the oldest entries show whether there are
 *  any: nothing else is read. */
export async function forgetEntries(db: Db, most = atATime): Promise<void> {
  for (let gone = most; gone === most; ) {
    const { rows } = await sql<{ gone: number }>`
      with gone as (
        delete from audit_entries
        where id in (select id from audit_entries order by id limit ${most}) and at <= now() - interval '400 days'
        returning 1
      )
      select count(*)::integer as gone from gone`.execute(db)
    gone = rows[0]?.gone ?? 0
  }
}
