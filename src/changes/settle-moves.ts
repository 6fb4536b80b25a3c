import { query } from '#/db/query.ts'
import type { Db } from '#/db/schema.ts'
import type { MailHost } from '#/ports/mail-host.ts'
import type { Moving } from '#/ports/recording.ts'

/** A part whose messages a process was about to move when it died. */
interface Begun {
  readonly id: number
  readonly mailbox_id: string
  readonly folder_key: number
  readonly folder: string
  readonly moving: Moving
}

/** Puts on record what became of moves whose process died between their beginning and their end. */
export async function settleMoves(
  { db, mailHost }: { readonly db: Db; readonly mailHost: MailHost },
  { organizationId, changeId }: { readonly organizationId: string; readonly changeId: string },
): Promise<void> {
  const begun = await query<Begun>(db)`
    select id, mailbox_id, folder_key, folder, moving from change_parts
    where change_id = ${changeId} and not settled and moving is not null order by id`
  for (const { id, mailbox_id: mailboxId, folder: name, folder_key, moving } of begun) {
    const from = { name, key: folder_key }
    const found = await mailHost.findMoved?.({ organizationId, mailboxId }, from, moving)
    await settle(db, id, { to: moving.to, key: found?.key ?? 0, uids: found?.uids ?? new Map() })
  }
}

/** The messages that were moved become a part of their own; the others are where they were. */
async function settle(
  db: Db,
  id: number,
  { to, key, uids }: { to: string; key: number; uids: ReadonlyMap<number, number> },
): Promise<void> {
  const [before, after] = [[...uids.keys()], [...uids.values()]]
  await query(db)`
    with part as (
      update change_parts set
        moving = null,
        uids = array(select uid from unnest(uids) uid where uid <> all(${before}::bigint[])),
        undone = uids <@ ${before}::bigint[]
      where id = ${id} and moving is not null
      returning change_id, mailbox_id, folder_key, folder, seen, flagged, added, removed
    )
    insert into change_parts
      (change_id, mailbox_id, folder_key, folder, uids, from_key, from_folder, from_uids, seen, flagged, added, removed)
    select change_id, mailbox_id, ${key}::bigint, ${to}, ${after}::bigint[], folder_key, folder, ${before}::bigint[], seen,
      flagged, added, removed
    from part where cardinality(${before}::bigint[]) > 0`
}
