import { sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import { integers, packed } from '#/mail/store/packed.ts'
import { type Changed, type ChangedRow, changedIn, changedMessages } from './changed-messages.ts'
import type { FolderMaps, KnownMap } from './folder-maps.ts'
import { SequenceMap } from './sequence-map.ts'

/** What SELECT tells of a folder. */
export interface FolderNow extends KnownMap {
  /** The uid of the first message without \Seen. */
  readonly unseen: number | undefined
  /** The keywords that most messages have. */
  readonly keywords: readonly string[]
  /** Uids that went since the modification sequence that was asked for, and the first messages whose flags may have changed; undefined if
   *  the log does not reach so far back, or nothing was asked. */
  readonly gone: Uint32Array | undefined
  readonly changed: Changed
}

/** What a client remembers of a folder. */
interface Since {
  readonly uidValidity: number
  readonly modseq: number
}

/** The keywords that a client is told of at most. It may use all that it sets or meets in a message. */
export const mostKeywords = 100

/** With more unread messages than that, the lowest uid of them is not far in the order of uids, mostly. */
const manyUnread = 10_000

interface Row extends ChangedRow {
  readonly id: number
  readonly modseq: number
  readonly uid_next: number
  readonly total: number
  readonly lowest: number | null
  readonly all: string | null
  readonly left: string | null
  readonly added: string | null
  readonly unseen: number | null
  readonly keywords: string[] | null
  readonly is_logged: boolean
  readonly is_known: boolean
  readonly gone: string | null
}

/** Of one moment. Undefined without such a folder. */
export async function readFolder(
  db: Db,
  maps: FolderMaps,
  mailbox: MailboxRef,
  name: string,
  since?: Since,
): Promise<FolderNow | undefined> {
  for (let known = maps.find(mailbox, name); ; known = undefined) {
    const row = await readRow(db, mailbox, name, since, known)
    if (!row) return undefined
    const messages = messagesOf(row, known)
    // Else what was known does not fit.
    if (messages.count !== row.total && known) continue
    maps.keep(mailbox, name, { folderId: row.id, modseq: row.modseq, uidNext: row.uid_next, messages: messages.copy() })
    return present(row, messages)
  }
}

/** One statement, so that all is of one moment. All uids are read only if there are gaps between them, and of messages that are `known`
 *  only what has changed. The first of many unread messages is found in the order of uids, the first of few among the unread
 *  ones. */
async function readRow(
  db: Db,
  { organizationId, mailboxId }: MailboxRef,
  name: string,
  since?: Since,
  known?: KnownMap,
): Promise<Row | undefined> {
  const [uidValidity, modseq] = [since?.uidValidity ?? null, since?.modseq ?? null]
  const uids = packed(sql`int4send(uid::integer)`)
  const behind = { after: { modseq: (modseq ?? 0) + 1, uid: 0 }, below: sql`folder.uid_next` }
  const { rows } = await sql<Row>`
    with folder as materialized (
      select id, modseq, uid_next, total, unread,
        coalesce(id = ${uidValidity}::bigint, false) as is_remembered,
        coalesce(id = ${uidValidity}::bigint and expunged_from <= ${modseq}::bigint, false) as is_logged,
        coalesce(id = ${known?.folderId ?? null}::bigint and expunged_from <= ${known?.modseq ?? null}::bigint, false) as is_known,
        (select uid from mail_messages where folder_id = folder.id order by uid limit 1) as lowest,
        (select uid from mail_messages where folder_id = folder.id order by uid desc limit 1) as highest
      from mail_folders folder
      where organization_id = ${organizationId} and mailbox_id = ${mailboxId} and name = ${name}
    )
    select folder.id, folder.modseq, folder.uid_next, folder.total, folder.lowest, is_logged, is_known,
      (select ${uids} from (
        select uid from mail_messages where folder_id = folder.id and not is_known and highest - lowest + 1 > total order by uid
      ) those) as "all",
      (select ${uids} from mail_expunged
        where folder_id = folder.id and is_known and modseq > ${known?.modseq ?? null}::bigint) as "left",
      (select ${uids} from (
        select uid from mail_messages where folder_id = folder.id and is_known and uid >= ${known?.uidNext ?? null}::bigint order by uid
      ) those) as added,
      (select ${uids} from mail_expunged where folder_id = folder.id and is_logged and modseq > ${modseq}::bigint) as gone,
      case when unread > ${manyUnread} then
        (select uid from mail_messages where folder_id = folder.id and not seen order by uid limit 1)
      when unread > 0 then (select min(uid) from (
        select uid from mail_messages where folder_id = folder.id and not seen order by received_at, uid offset 0
      ) unread) end as unseen,
      (select json_agg(keyword) from (
        select keyword from mail_keyword_totals where folder_id = folder.id and total > 0
        order by total desc, keyword limit ${mostKeywords}
      ) keywords) as keywords, changed.*
    from folder, lateral (${changedMessages(sql`case when is_remembered then folder.id end`, behind)}) changed`.execute(
    db,
  )
  return rows[0]
}

function messagesOf({ total, lowest, all, left, added, is_known }: Row, known: KnownMap | undefined): SequenceMap {
  if (is_known && known) {
    const messages = known.messages.copy()
    messages.remove(integers(left))
    messages.append(integers(added))
    return messages
  }
  if (all !== null) return new SequenceMap(integers(all))
  return lowest === null ? new SequenceMap() : SequenceMap.of([{ from: lowest, to: lowest + total - 1 }])
}

function present(row: Row, messages: SequenceMap): FolderNow {
  return {
    folderId: row.id,
    modseq: row.modseq,
    uidNext: row.uid_next,
    messages,
    unseen: row.unseen ?? undefined,
    keywords: row.keywords ?? [],
    gone: row.is_logged ? integers(row.gone) : undefined,
    changed: changedIn(row),
  }
}
