import { sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'
import { notFound } from '#/base/errors.ts'
import type { Address } from '#/formats/mime/address/address.ts'
import { noSuchFolder } from './folder-name.ts'
import type { MailboxRef } from './mailbox-ref.ts'
import { first } from './octets.ts'
import { integers, packed, bytes as unpackedBytes } from './packed.ts'

/** Uids above `after`, up to `last`. */
export interface UidRange {
  readonly after: number
  readonly last: number
  readonly most: number
  /** What is read beside the subject. What is not may be empty. */
  readonly wanted: 'subject' | 'senders' | 'header'
}

export interface HeadingPage {
  readonly uidValidity: number
  readonly messages: readonly Heading[]
}

export interface Heading {
  readonly uid: number
  readonly seen: boolean
  readonly flagged: boolean
  readonly keywords: readonly string[]
  readonly subject: string
  /** Everyone in From and Sender. If it is undefined, the header says it. */
  readonly senders: readonly Address[] | undefined
  /** The beginning of the message, with at least the fields From, Sender, To, Cc and Received. */
  readonly header: Buffer
}

/** Nearly every header ends within the first piece; for longer ones the second is read. */
const [usual, most] = [8 << 10, 64 << 10] as const

type Packed = Record<'uid' | 'seen' | 'flagged' | 'header' | 'length', string | null> & {
  readonly keywords: string[][] | null
  readonly subjects: string[] | null
  /** Of each message: the name and address in From, and all senders, if they are stored. */
  readonly names: (string | null)[] | null
  readonly addresses: (string | null)[] | null
  readonly senders: (Address[] | null)[] | null
}

/** The fields that filters read, for messages in a range of uids, in ascending order: at most `most`. Only headers leave the database. */
export async function readHeadings(
  db: Db,
  mailbox: MailboxRef,
  name: string,
  { after, last, most: limit, wanted }: UidRange,
): Promise<HeadingPage> {
  const end = sql`position('\\x0d0a0d0a'::bytea in head.bytes)`
  const read = sql`(
    select case when ${end} > 0 then substring(head.bytes for ${end} + 3) else ${first(most)} end
    from (select ${first(usual)} as bytes offset 0) head
  )`
  const header = {
    subject: sql`''::bytea`,
    senders: sql`case when content.facts -> 'senders' is null then ${read} else '' end`,
    header: read,
  }[wanted]
  const senders = {
    subject: sql``,
    senders: sql`, json_agg(from_name) as names, json_agg(from_address) as addresses, json_agg(senders) as senders`,
    header: sql``,
  }[wanted]
  const [row] = (
    await sql<Packed & { id: number | null }>`
    select folder.id, heading.*
    from mailboxes
    left join mail_folders folder on folder.mailbox_id = mailboxes.id and folder.name = ${name}
    left join lateral (
      select ${packed(sql`int4send(uid::integer)`)} as uid, ${packed(sql`boolsend(seen)`)} as seen,
        ${packed(sql`boolsend(flagged)`)} as flagged, ${packed(sql`header`)} as header,
        ${packed(sql`int4send(octet_length(header))`)} as length, json_agg(subject) as subjects,
        case when bool_or(keywords <> '{}') then json_agg(keywords) end as keywords${senders}
      from (
        select message.uid, message.seen, message.flagged, message.keywords, content.subject, content.from_name,
          content.from_address, content.facts -> 'senders' as senders, ${header} as header
        from (
          select uid, seen, flagged, keywords, content_id from mail_messages
          where folder_id = folder.id and uid > ${after} and uid <= ${last} order by uid limit ${limit}
        ) message join mail_contents content on content.id = message.content_id
        order by message.uid
      ) heading
    ) heading on true
    where mailboxes.id = ${mailbox.mailboxId} and mailboxes.organization_id = ${mailbox.organizationId}`.execute(db)
  ).rows
  if (!row) throw notFound('mailbox')
  if (row.id === null) throw noSuchFolder(name)
  return { uidValidity: row.id, messages: unpacked(row) }
}

function unpacked({
  uid,
  seen,
  flagged,
  header,
  length,
  keywords,
  subjects,
  names,
  addresses,
  senders,
}: Packed): Heading[] {
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
      senders: sendersOf(senders?.[index], names?.[index], addresses?.[index]),
      header: headers.subarray(begin, end),
    }
  })
}

/** None are stored if the author is alone, and nothing if there are very many. */
function sendersOf(
  stored: readonly Address[] | null | undefined,
  name: string | null | undefined,
  address: string | null | undefined,
): readonly Address[] | undefined {
  if (!stored || stored.length > 0) return stored ?? undefined
  return typeof address === 'string' ? [{ name: name ?? '', address }] : []
}
