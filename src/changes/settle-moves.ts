import { query } from '#/db/query.ts'
import type { Db } from '#/db/schema.ts'
import type { MailHost } from '#/ports/mail-host.ts'
import type { MovedMessages, Moving } from '#/ports/recording.ts'

/** A part whose messages a process was about to move when it died. */
interface Begun {
  readonly id: number
  readonly mailbox_id: string
  readonly folder_key: number
  readonly folder: string
  readonly moving: Moving
}

interface OfChange {
  readonly organizationId: string
  readonly changeId: string
  /** The change that its moves were to undo, if any. */
  readonly undoes?: string
}

/** Records the results of moves whose process died during them. */
export async function settleMoves(
  { db, mailHost }: { readonly db: Db; readonly mailHost: MailHost },
  { organizationId, changeId, undoes }: OfChange,
): Promise<void> {
  const begun = await query<Begun>(db)`
    select id, mailbox_id, folder_key, folder, moving from change_parts
    where change_id = ${changeId} and not settled and moving is not null order by id`
  for (const { id, mailbox_id: mailboxId, folder: name, folder_key, moving } of begun) {
    const from = { name, key: folder_key }
    const found = await mailHost.findMoved?.({ organizationId, mailboxId }, from, moving)
    await settle(db, { id, to: moving.to, undoes }, found ?? { key: 0, uids: new Map() })
  }
}

/** The messages that were moved become a part of their own, and are undone in the parts that the move was to undo; the others are
 *  where they were. */
async function settle(
  db: Db,
  { id, to, undoes }: { readonly id: number; readonly to: string; readonly undoes: string | undefined },
  { key, uids }: MovedMessages,
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
    ), back as (
      select one.id, array(
        select uid from unnest(one.uids) uid where uid = any(${before}::bigint[]) and uid <> all(one.undone_uids)
      ) as uids
      from part join change_parts one using (mailbox_id, folder_key)
      where one.change_id = ${undoes ?? null} and not one.undone
    ), undone as (
      update change_parts one set
        undone_uids = one.undone_uids || back.uids,
        undone = cardinality(one.undone_uids) + cardinality(back.uids) >= cardinality(one.uids)
      from back where one.id = back.id and cardinality(back.uids) > 0
    )
    insert into change_parts
      (change_id, mailbox_id, folder_key, folder, uids, from_key, from_folder, from_uids, seen, flagged, added, removed)
    select change_id, mailbox_id, ${key}::bigint, ${to}, ${after}::bigint[], folder_key, folder, ${before}::bigint[], seen,
      flagged, added, removed
    from part where cardinality(${before}::bigint[]) > 0`
}
