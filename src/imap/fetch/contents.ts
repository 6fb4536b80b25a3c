import { sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'
import type { FolderRef } from '#/mail/store/folders.ts'
import { first, whole } from '#/mail/store/octets.ts'
import type { StoredFlags } from '../selected/flags.ts'
import type { Row } from './rows.ts'

/** What a message says, as far as it was read. */
export interface Content {
  readonly contentId: number
  readonly sizeBytes: number
  readonly preview: string
  /** The first octets: all of a small message. */
  readonly head: Buffer
  /** The stored structure of a large message, if there is one. */
  readonly structure: string | null
}

/** How much is read of each message. */
export interface Extent {
  /** A message up to this size is read whole. */
  readonly whole: number
  /** So much of a larger one. */
  readonly head: number
  /** With the structure. */
  readonly structure: boolean
}

/** Of a small message whatever is asked for is read at once. */
export const smallBytes = 64 << 10
/** Nearly every header is shorter. */
export const headBytes = 16 << 10

/** Messages, and octets of them, that are read at once. In base64 and decoded they take less than a MiB. */
const mostMessages = 128
const mostBytes = 256 << 10

interface ContentRow extends StoredFlags {
  uid: number
  modseq: number
  id: number
  received_at: Date
  saved_at: Date
  content_id: number
  size_bytes: number
  preview: string
  head: string | null
  structure: string | null
  running: number
}

const firstOctets = first(sql`octets`, { bytes: sql`bytes`, id: sql`those.content_id` })

/** Reads the first of the messages with these ascending uids, as many as are read at once. `until` is the last uid that was looked
 *  for: what is missing up to there is gone. */
export async function readContents(
  db: Db,
  { mailbox, folderId }: FolderRef,
  uids: readonly number[],
  extent: Extent,
): Promise<{ read: { row: Row; content: Content }[]; until: number }> {
  const wanted = uids.slice(0, mostMessages)
  const [uid = 0, another] = wanted
  // PostgreSQL has one plan for each message by itself, as programs ask for all of a mailbox. Where it expects several it makes another
  // plan for one, each time, in five times as long as it takes to follow it.
  const [those, running] =
    another === undefined
      ? [sql`(select ${uid}::bigint as uid) as wanted`, sql`0`]
      : [
          sql`unnest(${wanted}::bigint[]) as wanted (uid)`,
          sql`sum(octets + coalesce(octet_length(structure), 0)) over (order by message.uid)`,
        ]
  const { rows } = await sql<ContentRow>`
    select uid, modseq, id, received_at, saved_at, seen, flagged, answered, forwarded, deleted, draft, keywords, content_id,
      size_bytes, running, preview, structure,
      encode(${firstOctets}, 'base64') as head
    from (
      select message.uid, message.modseq, coalesce(message.email_id, message.id) as id, message.received_at, message.saved_at, message.seen, message.flagged,
        message.answered, message.forwarded, message.deleted, message.draft, message.keywords, message.content_id,
        message.size_bytes, octets, content.preview, ${whole}, structure,
        octets + coalesce(octet_length(structure), 0) as cost,
        ${running} as running
      from ${those}
      join mail_messages message on message.folder_id = ${folderId} and message.uid = wanted.uid
      join mail_folders folder on folder.id = message.folder_id and folder.organization_id = ${mailbox.organizationId}
        and folder.mailbox_id = ${mailbox.mailboxId}
      join mail_contents content on content.id = message.content_id and content.organization_id = folder.organization_id
      left join mail_structures on mail_structures.content_id = content.id and ${extent.structure}::boolean
        and message.size_bytes > ${smallBytes},
      lateral (
        select case when message.size_bytes <= ${extent.whole} then message.size_bytes else ${extent.head} end as octets
      ) wanted_octets
    ) those
    where running - cost < ${mostBytes}
    order by uid`.execute(db)
  const read = rows.map((row) => ({
    row: {
      ...row,
      ...{ sizeBytes: row.size_bytes, receivedAt: row.received_at.getTime(), savedAt: row.saved_at.getTime() },
    },
    content: {
      ...{ contentId: row.content_id, sizeBytes: row.size_bytes, preview: row.preview, structure: row.structure },
      head: Buffer.from(row.head ?? '', 'base64'),
    },
  }))
  const last = rows.at(-1)
  // There may be more behind those that fill the batch.
  const isCut = last !== undefined && last.running >= mostBytes
  return { read, until: isCut ? last.uid : (wanted.at(-1) ?? 0) }
}
