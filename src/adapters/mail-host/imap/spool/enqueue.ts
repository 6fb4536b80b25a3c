import { sql } from 'kysely'
import type { Db, Tx } from '#/db/schema.ts'
import { notFound } from '#/errors.ts'
import { pieceBytes, slices } from '#/event-loop/pieces.ts'
import { normalKeywords } from '#/mail/normal-keywords.ts'
import { assertStillHere, keptOnServer } from '#/mailboxes/mail-host-name.ts'
import { type Copy, NoRoom } from '#/ports/mail-host.ts'
import { addStorage } from '#/usage/storage.ts'
import { isSearchable } from '../changing/append.ts'

/** Octets in one statement. */
const bytesAtOnce = 2 * pieceBytes

/** How long a mail program has to store its own copy in Sent: 60 seconds, and one more for each 64 KiB of the message. */
const patienceSeconds = 60
const octetsASecond = 64 * 1024

/** Puts copies into the spool, in order. Throws `NoRoom` if an organization has reached its share. */
export async function enqueue(tx: Tx, copies: readonly Copy[], mostBytes: number): Promise<void> {
  const full = await fullShares(tx, mostBytes, [...new Set(copies.map(({ mailbox }) => mailbox.organizationId))])
  if (full.size > 0) throw new NoRoom(full)
  for (let start = 0; start < copies.length; ) {
    let bytes = 0
    let end = start
    do bytes += smallBytes(copies[end++])
    while (end < copies.length && bytes + smallBytes(copies[end]) <= bytesAtOnce)
    await insert(tx, copies.slice(start, end))
    start = end
  }
  await countIn(tx, copies)
}

/** Those of the organizations, or of all, whose spooled mail exceeds the free space. So one organization may fill half of
 *  the spool, and one without spooled mail always has room. Reads counters: a sum would take longer with more mail. */
export async function fullShares(db: Db, mostBytes: number, among?: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    with spool as materialized (select coalesce(sum(bytes), 0) as bytes from mail_spool_shares)
    select organization_id as id from mail_spool_organizations share
    where ${among === undefined ? sql`(select bytes from spool) > ${mostBytes}::bigint / 2` : sql`organization_id = any(${among}::uuid[])`}
    group by organization_id
    having sum(share.bytes) > greatest(${mostBytes}::bigint - (select bytes from spool), 0)`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** Arriving mail is admitted by `organization_usage`, so spooled mail counts at once. Measurements correct this later. */
async function countIn(tx: Tx, copies: readonly Copy[]): Promise<void> {
  const added = new Map<string, number>()
  for (const { mailbox, message } of copies)
    added.set(mailbox.organizationId, (added.get(mailbox.organizationId) ?? 0) + message.raw.length)
  await addStorage(
    tx,
    [...added].map(([organization_id, bytes]) => ({ organization_id, bytes })),
  )
}

/** Ids that SEARCH can look for: others are not found. */
function storedIds(ids: readonly string[] = []): string[] {
  return ids.filter(isSearchable)
}

function smallBytes(copy: Copy | undefined): number {
  const length = copy?.message.raw.length ?? 0
  return length > pieceBytes ? 0 : length
}

async function insert(tx: Tx, copies: readonly Copy[]): Promise<void> {
  let start = 1
  const rows = copies.map((copy, number) => {
    const { mailbox, folder, message, receivedAt, seen, flagged, filteredBy, originals } = copy
    const row = {
      number,
      organization_id: mailbox.organizationId,
      mailbox_id: mailbox.mailboxId,
      folder,
      start: message.raw.length > pieceBytes ? null : start,
      size_bytes: message.raw.length,
      wait: copy.unlessThere === undefined ? null : patienceSeconds + message.raw.length / octetsASecond,
      message_id: (copy.unlessThere ?? message.messageId)?.replaceAll('\0', '').toWellFormed() ?? null,
      received_at: receivedAt,
      seen,
      flagged,
      keywords: normalKeywords(copy.keywords),
      filtered_by: filteredBy,
      answered: storedIds(originals?.answered),
      forwarded: storedIds(originals?.forwarded),
    }
    start += smallBytes(copy)
    return row
  })
  const bytes = Buffer.concat(copies.flatMap((copy) => (smallBytes(copy) > 0 ? [copy.message.raw] : [])))
  const { rows: made } = await sql<{ id: number }>`
    insert into mail_spool (organization_id, mailbox_id, folder, bytes, size_bytes, message_id, received_at, seen, flagged,
      keywords, filtered_by, answered, forwarded, unless_there, due_at)
    select row.organization_id, row.mailbox_id, row.folder, substring(${bytes}::bytea from row.start for row.size_bytes),
      row.size_bytes, row.message_id, row.received_at, row.seen, row.flagged, row.keywords, row.filtered_by,
      row.answered, row.forwarded, row.wait is not null, clock_timestamp() + make_interval(secs => coalesce(row.wait, 0))
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as row
      (number integer, organization_id uuid, mailbox_id uuid, folder text, start integer, size_bytes integer,
       message_id text, received_at timestamptz, seen boolean, flagged boolean, keywords text[], filtered_by jsonb,
       answered text[], forwarded text[], wait double precision)
    join mailboxes on mailboxes.id = row.mailbox_id and mailboxes.organization_id = row.organization_id
    where ${keptOnServer}
    order by row.number
    returning id`.execute(tx)
  if (made.length < copies.length) {
    await assertStillHere(tx, keptOnServer)
    throw notFound('mailbox')
  }
  const ids = made.map(({ id }) => id).sort((a, b) => a - b)
  for (const [index, { message }] of copies.entries()) {
    if (message.raw.length <= pieceBytes) continue
    let number = 0
    for (const piece of slices(message.raw)) {
      await sql`insert into mail_spool_pieces (spool_id, number, bytes) values (${ids[index]}, ${number++}, ${piece})`.execute(
        tx,
      )
    }
  }
}
