import { sql } from 'kysely'
import type { Db } from '#/db/schema.ts'
import type { Extent, HeadingPage, MailboxRef, UidRange } from '#/ports/mail-host.ts'
import { findFolder } from './folders.ts'

/** Nearly every header ends within the first; of longer ones the second is read. */
const [usual, most] = [8 << 10, 64 << 10]

interface Row {
  readonly uid: number
  readonly seen: boolean
  readonly flagged: boolean
  readonly keywords: string[]
  readonly subject: string
  /** In base64: see src/adapters/mail-host/sql/read.ts. */
  readonly header: string | null
}

/** What filters look at, of messages in a range of uids. Of the bytes of a message no more leaves the database than its header. */
export async function headings(
  db: Db,
  mailbox: MailboxRef,
  name: string,
  { after, last, most: limit, withHeader }: UidRange,
): Promise<HeadingPage> {
  const folder = await findFolder(db, mailbox, name)
  const bytes = sql`coalesce(content.bytes,
    (select bytes from mail_pieces where content_id = content.id and number = 0))`
  const end = sql`position('\\x0d0a0d0a'::bytea in head.bytes)`
  const header = withHeader
    ? sql`(
        select encode(case when ${end} > 0 then substring(head.bytes for ${end} + 3)
          else substring(${bytes} for ${most}) end, 'base64')
        from (select substring(${bytes} for ${usual}) as bytes offset 0) head
      )`
    : sql`null::text`
  const { rows } = await sql<Row>`
    select message.uid, message.seen, message.flagged, message.keywords, content.subject, ${header} as header
    from (
      select uid, seen, flagged, keywords, content_id from mail_messages
      where folder_id = ${folder.id} and uid > ${after} and uid <= ${last} order by uid limit ${limit}
    ) message join mail_contents content on content.id = message.content_id
    order by message.uid`.execute(db)
  return {
    uidValidity: folder.id,
    messages: rows.map(({ header, ...row }) => ({ ...row, header: Buffer.from(header ?? '', 'base64') })),
  }
}

export async function extent(db: Db, mailbox: MailboxRef, name: string): Promise<Extent> {
  const { id, uid_next, total } = await findFolder(db, mailbox, name)
  return { uidValidity: id, lastUid: uid_next - 1, total }
}
