import { type RawBuilder, sql } from 'kysely'
import { uidRows } from '#/mail/store/folders.ts'
import { integers, packed } from '#/mail/store/packed.ts'
import { condition } from './columns.ts'
import { Places } from './places.ts'
import type { SearchKey } from './program.ts'
import type { Scope } from './scope.ts'

/** What is known of a key: the messages that it finds, and those that it may find, the others among them. */
export interface Found {
  readonly yes: Places
  readonly maybe: Places
}

/** The messages that a statement looks at, and how long it should take, in milliseconds: the embedded database serves nothing else
 *  meanwhile. */
const [fewest, most] = [250, 8_000]
const [short, long] = [10, 25]

/** The folder, if it is the organization's. */
function folderId({ organizationId, selected }: Scope): RawBuilder<number> {
  return sql`(select id from mail_folders where id = ${selected.folderId} and organization_id = ${organizationId})`
}

/** The messages that are still there and whose rows fulfil a key, by one statement for all. */
export async function findRows(scope: Scope, key: SearchKey, within: Places): Promise<Places> {
  const span = scope.known.span(within)
  if (!span) return within
  const { rows } = await sql<{ uids: string | null }>`
    select ${packed(sql`int4send(message.uid::integer)`)} as uids from mail_messages message
    where message.folder_id = ${folderId(scope)} and message.uid between ${span.from} and ${span.to}
      and ${condition(key, scope.now)}`.execute(scope.db)
  scope.session.signal.throwIfAborted()
  return within.and(scope.known.placesOf(integers(rows[0]?.uids ?? null)))
}

/** The messages that are still there and for which `yes` holds, and those that have to be read to know, since `open` does: over `message`,
 *  its `content` and its `search`, which may be null. In statements of which none takes long. */
export async function sift(
  scope: Scope,
  within: Places,
  { yes, open }: { yes: RawBuilder<boolean>; open: RawBuilder<boolean> },
): Promise<Found> {
  const found = { yes: new Places(within.size), maybe: new Places(within.size) }
  const uids = Array.from(within, (place) => scope.known.uidAt(place))
  let count = fewest
  for (let at = 0; at < uids.length; ) {
    const began = performance.now()
    const { rows } = await sql<{ yes: string | null; open: string | null }>`
      select ${packed(sql`case when state = 1 then int4send(uid::integer) end`)} as yes,
        ${packed(sql`case when state = 2 then int4send(uid::integer) end`)} as open
      from (
        select message.uid, case when ${yes} then 1 when ${open} then 2 end as state
        from ${uidRows(scope.selected.folderId, uids.slice(at, at + count))} wanted
        join mail_messages message using (folder_id, uid)
        join mail_contents content on content.id = message.content_id and content.organization_id = ${scope.organizationId}
        left join mail_search search
          on search.content_id = content.id and search.organization_id = content.organization_id
      ) judged`.execute(scope.db)
    for (const place of scope.known.placesOf(integers(rows[0]?.yes ?? null))) found.yes.add(place)
    for (const place of scope.known.placesOf(integers(rows[0]?.open ?? null))) found.maybe.add(place)
    at += count
    const took = performance.now() - began
    if (took > long) count = Math.max(fewest, count >> 1)
    else if (took < short) count = Math.min(most, count << 1)
    await scope.pause(Math.min(at, uids.length), uids.length)
  }
  return { yes: found.yes, maybe: found.yes.or(found.maybe) }
}
