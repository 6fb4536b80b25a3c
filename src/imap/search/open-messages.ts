import { isUtf8 } from 'node:buffer'
import { sql } from 'kysely'
import { collected } from '#/base/event-loop/pieces.ts'
import { Slots } from '#/base/event-loop/slots.ts'
import { uidRows } from '#/mail/store/folders.ts'
import { first, Gone, inBase64, octetsOf, whole } from '#/mail/store/octets.ts'
import { bytes, integers, packed } from '#/mail/store/packed.ts'
import type { Scope } from './scope.ts'

/** Messages that a statement reads, and octets of all of them unless one is larger. */
const [mostMessages, mostBytes] = [100, 512 << 10]
/** Of a header that is read without its body. */
const headBytes = 64 << 10
/** Messages of more than a MiB that searches read at once. */
const large = new Slots(2)

interface OpenMessage {
  readonly place: number
  readonly raw: Buffer
}

interface Row {
  readonly uid: number
  readonly content_id: number
  readonly size_bytes: number
}

/** The octets of messages, in batches, of each thousand the newest first; of headers alone where these end and can be understood. Without
 *  those that have been deleted. */
export async function* messagesAt(
  scope: Scope,
  places: readonly number[],
  { headersOnly }: { headersOnly: boolean },
): AsyncGenerator<OpenMessage> {
  for (let at = 0; at < places.length; at += 1_000) {
    const some = places.slice(at, at + 1_000)
    const placeOf = new Map(some.map((place) => [scope.known.uidAt(place), place]))
    for (const rows of batchesOf(await rowsOf(scope, [...placeOf.keys()]), headersOnly)) {
      await scope.pause(at, places.length)
      const read = await rawsOf(scope, rows, headersOnly)
      for (const row of rows) {
        const place = placeOf.get(row.uid)
        const raw = read.get(row.uid) ?? (await wholeOf(scope, row))
        if (raw && place !== undefined) yield { place, raw }
      }
    }
  }
}

/** Newest first. */
async function rowsOf(scope: Scope, uids: readonly number[]): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select message.uid, message.content_id, message.size_bytes
    from ${uidRows(scope.selected.folderId, uids)} wanted join mail_messages message using (folder_id, uid)
    join mail_folders folder on folder.id = message.folder_id and folder.organization_id = ${scope.organizationId}
    order by message.uid desc`.execute(scope.db)
  return rows
}

function* batchesOf(rows: readonly Row[], headersOnly: boolean): Generator<Row[]> {
  let batch: Row[] = []
  let size = 0
  for (const row of rows) {
    const octets = headersOnly ? Math.min(row.size_bytes, headBytes / 8) : row.size_bytes
    if (batch.length === mostMessages || (batch.length > 0 && size + octets > mostBytes)) {
      yield batch
      batch = []
      size = 0
    }
    batch.push(row)
    size += octets
  }
  if (batch.length > 0) yield batch
}

/** By uid, without large messages, and without headers that do not end or need their body to be understood. */
async function rawsOf(scope: Scope, rows: readonly Row[], headersOnly: boolean): Promise<Map<number, Buffer>> {
  const end = sql`position('\\x0d0a0d0a'::bytea in head.bytes)`
  const stored = headersOnly
    ? sql`(
        select case when ${end} > 0 then substring(head.bytes for ${end} + 3) end from (
          select ${first(headBytes)} as bytes offset 0
        ) head
      )`
    : whole
  const read = await sql<Record<'uids' | 'lengths' | 'octets', string | null>>`
    select ${packed(sql`int4send(uid::integer)`)} as uids, ${packed(sql`int4send(octet_length(octets))`)} as lengths,
      ${packed(sql`octets`)} as octets
    from (
      select wanted.uid, ${stored} as octets
      from unnest(${rows.map(({ uid }) => uid)}::bigint[], ${rows.map((row) => row.content_id)}::bigint[]) as wanted (uid, id)
      join mail_contents content on content.id = wanted.id and content.organization_id = ${scope.organizationId}
      offset 0
    ) read where octets is not null`.execute(scope.db)
  const [row] = read.rows
  const [uids, lengths, all] = [integers(row?.uids ?? null), integers(row?.lengths ?? null), bytes(row?.octets ?? null)]
  const raws = new Map<number, Buffer>()
  let start = 0
  for (const [at, uid] of uids.entries()) {
    const end = start + (lengths[at] ?? 0)
    const raw = all.subarray(start, end)
    // Octets of another charset are in that of the body.
    if (!headersOnly || isUtf8(raw)) raws.set(uid, raw)
    start = end
  }
  return raws
}

/** Undefined if it has been deleted meanwhile. */
async function wholeOf(scope: Scope, { content_id, size_bytes }: Row): Promise<Buffer | undefined> {
  using _ = await large.enter()
  const { rows } = await sql<{ bytes: string | null }>`
    select ${inBase64(whole)} as bytes from mail_contents content
    where id = ${content_id} and organization_id = ${scope.organizationId}`.execute(scope.db)
  const [row] = rows
  if (!row) return undefined
  if (row.bytes !== null) return Buffer.from(row.bytes, 'base64')
  try {
    const all = { start: 0, end: size_bytes }
    return await collected(octetsOf(scope.db, scope.organizationId, content_id, all), size_bytes)
  } catch (error) {
    if (error instanceof Gone) return undefined
    throw error
  }
}
