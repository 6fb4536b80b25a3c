import { sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'
import { Letter } from './senders.ts'

interface Row {
  readonly folder_id: number
  readonly uid: number
  readonly folder: string
  readonly address: string
  readonly subject: string
  readonly message_id: string | null
  readonly flagged: boolean
  readonly keywords: string[]
  readonly bytes: Buffer
}

/** The stored letters, named as the checker names them: `… at ada@…`. One that differs from what was sent, or
 *  on which its filters have not acted completely, is named as damaged. */
export async function* lettersStored(db: Db): AsyncGenerator<string> {
  for (let rows = await page(db, 0, 0); rows.length > 0; ) {
    for (const row of rows) yield `${whole(row) ? '' : 'damaged: '}${row.subject} at ${row.address}`
    const last = rows.at(-1)
    rows = last ? await page(db, last.folder_id, last.uid) : []
  }
}

function whole({ subject, message_id, bytes, folder, flagged, keywords }: Row): boolean {
  const letter = new Letter(subject, [], message_id !== null)
  const urgent = subject.startsWith('urgent')
  return (
    bytes.toString('latin1').endsWith(letter.text) &&
    folder === (subject.startsWith('elsewhere') ? 'Elsewhere' : 'inbox') &&
    flagged === urgent &&
    keywords.join() === (urgent ? 'urgent' : '')
  )
}

async function page(db: Db, folder: number, uid: number): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select message.folder_id, message.uid, folder.name as folder, mailbox.address, content.subject, content.message_id,
      message.flagged, message.keywords, coalesce(content.bytes,
        (select string_agg(bytes, '' order by number) from mail_pieces where content_id = content.id)) as bytes
    from mail_messages message
    join mail_folders folder on folder.id = message.folder_id
    join mailboxes mailbox on mailbox.id = folder.mailbox_id
    join mail_contents content on content.id = message.content_id
    where (message.folder_id, message.uid) > (${folder}, ${uid}) and folder.name <> 'sent'
    order by message.folder_id, message.uid limit 200`.execute(db)
  return rows
}

/** The same where programs have stored messages, which have not arrived. */
export async function discrepanciesOfPrograms(db: Db): Promise<string[]> {
  return (await discrepancies(db)).filter((one) => !one.endsWith('arrivals without their message'))
}

/** Inconsistencies in the tables: a wrong counter, a part without its whole. Empty if nothing
 *  is half-stored. */
export async function discrepancies(db: Db): Promise<string[]> {
  const { rows } = await sql<{ what: string }>`
    with counted as (
      select folder_id, count(*) as total, count(*) filter (where not seen) as unread, sum(size_bytes) as size_bytes,
        max(uid) as uid, max(modseq) as modseq
      from mail_messages group by folder_id
    ), wrong (what, rows) as (
      select 'folders whose counters are wrong', count(*) from mail_folders folder
        left join counted on counted.folder_id = folder.id
        where (folder.total, folder.unread, folder.size_bytes)
            <> (coalesce(counted.total, 0), coalesce(counted.unread, 0), coalesce(counted.size_bytes, 0))
          or folder.uid_next <= counted.uid or folder.modseq < counted.modseq
      union all select 'messages without a folder', count(*) from mail_messages
        where folder_id not in (select id from mail_folders)
      union all select 'messages without their content', count(*) from mail_messages message
        left join mail_contents content on content.id = message.content_id
        where content.id is null or message.size_bytes <> coalesce(octet_length(content.bytes),
          (select sum(octet_length(bytes)) from mail_pieces where content_id = content.id), 0)
      union all select 'pieces of nothing', count(*) from mail_pieces piece
        left join mail_contents content on content.id = piece.content_id
        where content.id is null or content.bytes is not null
      union all select 'contents whose copies are miscounted', count(*) from mail_contents content
        left join (select content_id, count(*) as copies from mail_messages group by content_id) there
          on there.content_id = content.id
        where content.copies <> coalesce(there.copies, 0)
      union all select 'keywords of messages listed wrongly', count(*) from (
          select folder_id, uid, received_at, seen, unnest(keywords) as keyword from mail_messages
        ) borne full join mail_keywords listed using (folder_id, uid, received_at, seen, keyword)
        where borne is null or listed is null
      union all select 'keywords whose messages are miscounted', count(*) from mail_keyword_totals held full join (
          select folder_id, keyword, count(*) as total, count(*) filter (where not seen) as unread
          from mail_keywords group by folder_id, keyword
        ) listed using (folder_id, keyword)
        where (coalesce(held.total, 0), coalesce(held.unread, 0))
          <> (coalesce(listed.total, 0), coalesce(listed.unread, 0))
      union all select 'organizations whose storage is miscounted', count(*) from organization_usage usage
        where storage_bytes <> (select coalesce(sum(size_bytes), 0) from mail_folders
          where mail_folders.organization_id = usage.organization_id)
      union all select 'arrivals without their message', count(*) from mailboxes mailbox
        where (select count(*) from arrivals where mailbox_id = mailbox.id) <> (
          select count(*) from mail_messages message
          join mail_folders folder on folder.id = message.folder_id
          where folder.mailbox_id = mailbox.id and folder.name <> 'sent')
    )
    select rows || ' ' || what as what from wrong where rows > 0`.execute(db)
  return rows.map(({ what }) => what)
}
