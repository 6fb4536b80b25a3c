import { sql } from 'kysely'
import type { Db } from '#/db/schema.ts'
import { integers, packed } from '#/mail/packed.ts'
import type { MailboxRef } from '#/ports/mail-host.ts'
import { type Changed, type ChangedRow, changedIn, changedMessages } from './changed-messages.ts'
import { SequenceMap } from './sequence-map.ts'

/** What SELECT tells of a folder. */
export interface FolderNow {
  readonly folderId: number
  readonly modseq: number
  readonly uidNext: number
  readonly messages: SequenceMap
  /** The uid of the first message without \Seen. */
  readonly unseen: number | undefined
  /** The keywords that most messages have. */
  readonly keywords: readonly string[]
  /** Uids that went since the modification sequence that was asked for, and the first messages whose flags may have changed; undefined if
   *  the log does not reach so far back, or nothing was asked. */
  readonly gone: Uint32Array | undefined
  readonly changed: Changed
}

/** The keywords that a client is told of at most. It may use all that it sets or meets in a message. */
export const mostKeywords = 100

interface Row extends ChangedRow {
  readonly id: number
  readonly modseq: number
  readonly uid_next: number
  readonly total: number
  readonly lowest: number | null
  readonly uids: string | null
  readonly unseen: number | null
  readonly keywords: string[] | null
  readonly is_logged: boolean
  readonly gone: string | null
}

/** One statement, so that all is of one moment. `since` is what a client remembers of the folder with this uidValidity. Undefined
 *  without such a folder. Uids are read only if there are gaps between them. The first of many unread messages is found in the order
 *  of uids, as the first of few is among the unread ones. */
export async function readFolder(
  db: Db,
  { organizationId, mailboxId }: MailboxRef,
  name: string,
  since?: { readonly uidValidity: number; readonly modseq: number },
): Promise<FolderNow | undefined> {
  const { uidValidity = null, modseq = null } = since ?? {}
  const { rows } = await sql<Row>`
    with folder as materialized (
      select id, modseq, uid_next, total, unread, expunged_from <= ${modseq}::bigint as is_logged,
        coalesce(id = ${uidValidity}::bigint, false) as is_known,
        (select uid from mail_messages where folder_id = folder.id order by uid limit 1) as lowest,
        (select uid from mail_messages where folder_id = folder.id order by uid desc limit 1) as highest
      from mail_folders folder
      where organization_id = ${organizationId} and mailbox_id = ${mailboxId} and name = ${name}
    )
    select folder.id, folder.modseq, folder.uid_next, folder.total, folder.lowest, coalesce(is_logged, false) as is_logged, gone.gone,
      (select ${packed(sql`int4send(uid::integer)`)} from (
        select uid from mail_messages where folder_id = folder.id and highest - lowest + 1 > total order by uid
      ) those) as uids,
      case when unread > ${manyUnread} then
        (select uid from mail_messages where folder_id = folder.id and not seen order by uid limit 1)
      when unread > 0 then (select min(uid) from (
        select uid from mail_messages where folder_id = folder.id and not seen order by received_at, uid offset 0
      ) unread) end as unseen,
      (select json_agg(keyword) from (
        select keyword from mail_keyword_totals where folder_id = folder.id and total > 0 order by total desc, keyword limit ${mostKeywords}
      ) keywords) as keywords, changed.*
    from folder, lateral (
      select ${packed(sql`int4send(uid::integer)`)} as gone from mail_expunged
      where folder_id = folder.id and modseq > ${modseq}::bigint and is_known and is_logged
    ) gone, lateral (
      ${changedMessages(sql`case when is_known then folder.id end`, { after: { modseq: (modseq ?? 0) + 1, uid: 0 }, below: sql`folder.uid_next` })}
    ) changed`.execute(db)
  const [row] = rows
  return row && present(row)
}

/** With more unread messages than that, the lowest uid of them is not far in the order of uids, mostly. */
const manyUnread = 10_000

function present(row: Row): FolderNow {
  const { total, lowest, uids } = row
  const isWhole = uids === null && lowest !== null
  return {
    folderId: row.id,
    modseq: row.modseq,
    uidNext: row.uid_next,
    messages: isWhole ? SequenceMap.of([{ from: lowest, to: lowest + total - 1 }]) : new SequenceMap(integers(uids)),
    unseen: row.unseen ?? undefined,
    keywords: row.keywords ?? [],
    gone: row.is_logged ? integers(row.gone) : undefined,
    changed: changedIn(row),
  }
}
