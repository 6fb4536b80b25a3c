import { sql } from 'kysely'
import { pieceBytes, slices } from '#/bytes.ts'
import { query } from '#/db/query.ts'
import type { Tx } from '#/db/schema.ts'
import { notFound } from '#/errors.ts'
import type { IdHashKey } from '#/mime/id-hash.ts'
import type { Message } from '#/mime/message.ts'
import type { Copy } from '#/ports/mail-host.ts'
import { Contents, type HashedIds, hashIds, type MessageRow, messageRow } from './append-rows.ts'
import { makeFolders } from './folders.ts'

/** How many bytes of mail go into one statement: node-postgres copies them four times over in one turn of the event loop. */
const bytesAtOnce = 2 * pieceBytes

/** Stores copies for any number of mailboxes in two statements, however many they are (more only where a folder lacks
 *  and above 2 MiB). Throws `not_found` for a mailbox that is not there; nothing of `tx` may be kept then. */
export async function append(tx: Tx, key: IdHashKey, copies: readonly Copy[]): Promise<void> {
  if (copies.length === 0) return
  const gains = gainsOf(copies)
  const places = (await advance(tx, gains)) ?? (await makeAndAdvance(tx, gains))
  for (const batch of batches(copies)) {
    const contents = new Contents()
    const hashed = new Map<Message, HashedIds>()
    const rows: MessageRow[] = []
    for (const copy of batch) {
      const { message } = copy
      const ids = hashed.get(message) ?? (await hashIds(key, message))
      hashed.set(message, ids)
      const place = places.get(folderKey(copy))
      if (!place) throw notFound('mailbox')
      rows.push(messageRow(copy, ids, contents.add(copy), { ...place, uid: place.nextUid++ }))
    }
    await numberLarge(tx, contents)
    await store(tx, contents, rows)
    await storePieces(tx, contents)
  }
}

/** What a folder gains by the copies. */
interface Gain {
  readonly organization_id: string
  readonly mailbox_id: string
  readonly name: string
  added: number
  unread: number
  size_bytes: number
}

function gainsOf(copies: readonly Copy[]): Map<string, Gain> {
  const gains = new Map<string, Gain>()
  for (const copy of copies) {
    const key = folderKey(copy)
    const gain = gains.get(key) ?? {
      organization_id: copy.mailbox.organizationId,
      mailbox_id: copy.mailbox.mailboxId,
      name: copy.folder,
      added: 0,
      unread: 0,
      size_bytes: 0,
    }
    gain.added += 1
    gain.unread += copy.seen ? 0 : 1
    gain.size_bytes += copy.message.raw.length
    gains.set(key, gain)
  }
  return gains
}

function folderKey({ mailbox, folder }: Copy): string {
  return `${mailbox.organizationId}/${mailbox.mailboxId}/${folder}`
}

/** Where the next copy in a folder goes. */
interface Place {
  readonly folderId: number
  readonly modseq: number
  nextUid: number
}

/** Locks the folders, lowest id first, counts the copies in and takes their uids. Undefined, with nothing locked, where
 *  a folder lacks. */
async function advance(tx: Tx, gains: Map<string, Gain>): Promise<Map<string, Place> | undefined> {
  const rows = await query<{ key: string; id: number; modseq: number; first: number }>(tx)`
    with gain as materialized (
      select folder.id, gain.key, gain.added, gain.unread, gain.size_bytes
      from jsonb_to_recordset(${JSON.stringify([...gains].map(([key, gain]) => ({ key, ...gain })))}::jsonb) as gain
        (key text, organization_id uuid, mailbox_id uuid, name text, added integer, unread integer, size_bytes bigint)
      join mail_folders folder on folder.mailbox_id = gain.mailbox_id and folder.name = gain.name
        and folder.organization_id = gain.organization_id
    ), locked as materialized (
      select gain.* from gain join mail_folders folder on folder.id = gain.id
      where (select count(*) from gain) = ${gains.size}
      order by folder.id for update of folder
    )
    update mail_folders folder set
      uid_next = folder.uid_next + locked.added,
      modseq = folder.modseq + 1,
      total = folder.total + locked.added,
      unread = folder.unread + locked.unread,
      size_bytes = folder.size_bytes + locked.size_bytes
    from locked where folder.id = locked.id
    returning locked.key, folder.id, folder.modseq, folder.uid_next - locked.added as first`
  if (rows.length < gains.size) return undefined
  return new Map(rows.map(({ key, id, modseq, first }) => [key, { folderId: id, modseq, nextUid: first }]))
}

async function makeAndAdvance(tx: Tx, gains: Map<string, Gain>): Promise<Map<string, Place>> {
  const folders = [...gains.values()].map(({ organization_id, mailbox_id, name }) => ({
    mailbox: { organizationId: organization_id, mailboxId: mailbox_id },
    name,
  }))
  await makeFolders(tx, folders)
  const places = await advance(tx, gains)
  if (!places) throw notFound('mailbox')
  return places
}

/** Runs of copies with at most `bytesAtOnce` of mail each, or a single copy. Copies of one message count once. */
function* batches(copies: readonly Copy[]): Generator<readonly Copy[]> {
  let start = 0
  let bytes = 0
  let last: Message | undefined
  for (const [index, { message }] of copies.entries()) {
    const more = message === last ? 0 : message.raw.length
    if (more > 0 && index > start && bytes + more > bytesAtOnce) {
      yield copies.slice(start, index)
      start = index
      bytes = 0
    }
    bytes += more
    last = message
  }
  yield copies.slice(start)
}

/** Gives ids to the contents that pieces will belong to. */
async function numberLarge(tx: Tx, { large }: Contents): Promise<void> {
  if (large.length === 0) return
  const { rows } = await sql<{ id: number }>`
    select nextval('mail_contents_id_seq') as id from generate_series(1, ${large.length}::integer)`.execute(tx)
  for (const [index, { row }] of large.entries()) row.given = rows[index]?.id ?? null
}

/** One statement a piece, between which others have their turn. */
async function storePieces(tx: Tx, { large }: Contents): Promise<void> {
  for (const { row, raw } of large) {
    let number = 0
    for (const piece of slices(raw)) {
      await sql`insert into mail_pieces (content_id, number, bytes) values (${row.given}, ${number++}, ${piece})`.execute(
        tx,
      )
    }
  }
}

/** Writes contents, messages, keywords and the storage used. The bytes go as one parameter in binary form: as an array
 *  they would be sent in hexadecimal. */
async function store(tx: Tx, contents: Contents, messages: readonly MessageRow[]): Promise<void> {
  await query(tx)`
    with content as materialized (
      select coalesce(row.given, nextval('mail_contents_id_seq')) as id, row.*
      from jsonb_to_recordset(${JSON.stringify(contents.rows)}::jsonb) as row
        (number integer, given bigint, organization_id uuid, copies integer, start integer, size_bytes integer, message_id text,
         thread_root text, subject text, from_name text, from_address text, recipients jsonb, has_attachment boolean,
         preview text)
    ), contents as (
      insert into mail_contents (id, organization_id, copies, bytes, message_id, thread_root, subject, from_name,
        from_address, recipients, has_attachment, preview)
      select id, organization_id, copies, substring(${contents.bytes()}::bytea from start for size_bytes), message_id,
        thread_root, subject, from_name, from_address, recipients, has_attachment, preview
      from content
    ), messages as (
      insert into mail_messages (folder_id, uid, modseq, content_id, received_at, size_bytes, seen, flagged, keywords,
        sender, id_hash, strong, weak, filtered_by)
      select row.folder_id, row.uid, row.modseq, content.id, row.received_at, row.size_bytes, row.seen, row.flagged,
        row.keywords, row.sender, row.id_hash, row.strong, row.weak, row.filtered_by
      from jsonb_to_recordset(${JSON.stringify(messages)}::jsonb) as row
        (content integer, folder_id bigint, uid bigint, modseq bigint, received_at timestamptz, size_bytes integer,
         seen boolean, flagged boolean, keywords text[], sender text, id_hash bytea, strong bytea, weak bytea,
         filtered_by jsonb)
      join content on content.number = row.content
      returning folder_id, uid, received_at, seen, keywords
    ), keywords as (
      insert into mail_keywords (folder_id, keyword, received_at, uid, seen)
      select folder_id, unnest(keywords), received_at, uid, seen from messages
    ), usage as materialized (
      select usage.organization_id, gain.bytes
      from (
        select organization_id, sum(copies * size_bytes::bigint) as bytes from content group by organization_id
      ) gain
      join organization_usage usage using (organization_id)
      order by usage.organization_id for update of usage
    )
    update organization_usage set storage_bytes = organization_usage.storage_bytes + usage.bytes
    from usage where organization_usage.organization_id = usage.organization_id`
}
