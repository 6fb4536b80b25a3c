import { sql } from 'kysely'
import type { Db } from '#/db/schema.ts'
import type { Extent, Heading, HeadingPage, MailboxRef, UidRange } from '#/ports/mail-host.ts'
import { findFolder } from './folders.ts'
import { integers, packed, bytes as unpackedBytes } from './packed.ts'

/** Nearly every header ends within the first piece; for longer ones the second is read. */
const [usual, most] = [8 << 10, 64 << 10]

type Packed = Record<'uid' | 'seen' | 'flagged' | 'header' | 'length', string | null> & {
  readonly keywords: string[][] | null
  readonly subjects: string[] | null
}

/** The fields that filters read, for messages in a range of uids. Only headers leave the database. */
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
        select case when ${end} > 0 then substring(head.bytes for ${end} + 3)
          else substring(${bytes} for ${most}) end
        from (select substring(${bytes} for ${usual}) as bytes offset 0) head
      )`
    : sql`''::bytea`
  const { rows } = await sql<Packed>`
    select ${packed(sql`int4send(uid::integer)`)} as uid, ${packed(sql`boolsend(seen)`)} as seen,
      ${packed(sql`boolsend(flagged)`)} as flagged, ${packed(sql`header`)} as header,
      ${packed(sql`int4send(octet_length(header))`)} as length, json_agg(subject) as subjects,
      case when bool_or(keywords <> '{}') then json_agg(keywords) end as keywords
    from (
      select message.uid, message.seen, message.flagged, message.keywords, content.subject, ${header} as header
      from (
        select uid, seen, flagged, keywords, content_id from mail_messages
        where folder_id = ${folder.id} and uid > ${after} and uid <= ${last} order by uid limit ${limit}
      ) message join mail_contents content on content.id = message.content_id
      order by message.uid
    ) heading`.execute(db)
  return { uidValidity: folder.id, messages: rows.flatMap(unpacked) }
}

function unpacked({ uid, seen, flagged, header, length, keywords, subjects }: Packed): Heading[] {
  const [seens, flags, headers, lengths] = [
    unpackedBytes(seen),
    unpackedBytes(flagged),
    unpackedBytes(header),
    integers(length),
  ]
  let end = 0
  return Array.from(integers(uid), (one, index) => {
    const begin = end
    end += lengths[index] ?? 0
    return {
      uid: one,
      seen: seens[index] === 1,
      flagged: flags[index] === 1,
      keywords: keywords?.[index] ?? [],
      subject: subjects?.[index] ?? '',
      header: headers.subarray(begin, end),
    }
  })
}

export async function extent(db: Db, mailbox: MailboxRef, name: string): Promise<Extent> {
  const { id, uid_next, total } = await findFolder(db, mailbox, name)
  return { uidValidity: id, lastUid: uid_next - 1, total }
}
