import { sql } from 'kysely'
import type { Db, Tx } from '#/base/db/schema.ts'
import { notFound } from '#/base/errors.ts'
import { pieceBytes } from '#/base/event-loop/pieces.ts'
import type { IdHashKey } from '#/formats/mime/id-hash.ts'
import type { Message } from '#/formats/mime/message.ts'
import { Contents, type HashedIds, hashIds, type MessageRow, messageRow } from './append-rows.ts'
import { type Gain, hasChangedMeanwhile, store, type TargetFolder, type Told } from './append-statement.ts'
import type { Arrival } from './arrivals.ts'
import type { Copy } from './copy-to-append.ts'
import { makeFolders } from './folders.ts'
import { putPieces } from './octets.ts'

/** Bytes of mail in one statement: node-postgres copies them four times in one turn of the event loop. */
const bytesAtOnce = 2 * pieceBytes

/** Stores copies for any number of mailboxes and writes their events, in one statement, or more if a folder is missing or above 2 MiB. Throws
 *  `not_found` for an unknown mailbox; then `tx` must be rolled back. Answers the uid of each. */
export async function append(tx: Tx, key: IdHashKey, copies: readonly Copy[], told?: Told): Promise<number[]> {
  if (copies.length === 0) return []
  const gains = gainsOf(copies)
  let places: readonly TargetFolder[] | undefined
  const stored: MessageRow[] = []
  for (const batch of batches(copies)) {
    const { contents, rows } = await rowsOf(key, batch, gains)
    stored.push(...rows)
    await numberLarge(tx, contents)
    if (places) await store(tx, { places }, contents, rows, told)
    else places = await storeFirst(tx, gains.byFolder, contents, rows, told)
    for (const { row, raw } of contents.large) await putPieces(tx, row.given, raw)
  }
  return uidsOf(places ?? [], stored)
}

function uidsOf(places: readonly TargetFolder[], rows: readonly MessageRow[]): number[] {
  const first = new Map(places.map((place) => [place.number, place.first]))
  return rows.map(({ folder, nth }) => (first.get(folder) ?? 0) + nth)
}

/** Stores copies and records their arrivals in one statement; false, with nothing written, if more is needed. */
export async function appendNew(
  db: Db,
  key: IdHashKey,
  copies: readonly Copy[],
  arrivals: readonly Arrival[],
): Promise<boolean> {
  const [first = [], ...others] = batches(copies)
  if (others.length > 0) return false
  const gains = gainsOf(copies)
  const { contents, rows } = await rowsOf(key, first, gains)
  if (contents.large.length > 0) return false
  try {
    const places = await store(db, { gains: gains.byFolder, arrivals }, contents, rows)
    return places.length === gains.byFolder.length
  } catch (error) {
    if (hasChangedMeanwhile(error)) return false
    throw error
  }
}

/** The rows of a batch. `gains` counts its copies. */
async function rowsOf(
  key: IdHashKey,
  batch: readonly Copy[],
  gains: Gains,
): Promise<{ contents: Contents; rows: readonly MessageRow[] }> {
  const contents = new Contents()
  const hashed = new Map<Message, HashedIds>()
  const rows: MessageRow[] = []
  for (const copy of batch) {
    const { message } = copy
    const ids = hashed.get(message) ?? (await hashIds(key, message))
    hashed.set(message, ids)
    rows.push(messageRow(copy, ids, contents.add(copy), gains.placeOf(copy)))
  }
  return { contents, rows }
}

/** Creates missing folders, if there are any, and repeats. */
async function storeFirst(
  tx: Tx,
  gains: readonly Gain[],
  contents: Contents,
  rows: readonly MessageRow[],
  told: Told | undefined,
): Promise<readonly TargetFolder[]> {
  const places = await store(tx, { gains }, contents, rows, told)
  if (places.length === gains.length) return places
  await makeFolders(
    tx,
    gains.map(({ organization_id, mailbox_id, name }) => ({
      mailbox: { organizationId: organization_id, mailboxId: mailbox_id },
      name,
    })),
  )
  const made = await store(tx, { gains }, contents, rows, told)
  if (made.length < gains.length) throw notFound('mailbox')
  return made
}

interface Gains {
  readonly byFolder: readonly Gain[]
  /** The number of a copy's folder, and the number of copies before it in that folder. */
  placeOf(copy: Copy): { folder: number; nth: number }
}

/** The number of copies for each folder. */
function gainsOf(copies: readonly Copy[]): Gains {
  const gains = new Map<string, Gain & { added: number; unread: number; size_bytes: number }>()
  const name = ({ mailbox, folder }: Copy) => `${mailbox.organizationId}/${mailbox.mailboxId}/${folder}`
  for (const copy of copies) {
    const gain = gains.get(name(copy)) ?? {
      number: gains.size,
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
    gains.set(name(copy), gain)
  }
  const placed = new Map<number, number>()
  return {
    byFolder: [...gains.values()],
    placeOf(copy) {
      const folder = gains.get(name(copy))?.number ?? 0
      const nth = placed.get(folder) ?? 0
      placed.set(folder, nth + 1)
      return { folder, nth }
    },
  }
}

/** Groups of copies with at most `bytesAtOnce` of mail, or a single copy. Copies of one message count once. */
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

/** Gives ids to contents that are stored in pieces. */
async function numberLarge(tx: Tx, { large }: Contents): Promise<void> {
  if (large.length === 0) return
  const { rows } = await sql<{ id: number }>`
    select nextval('mail_contents_id_seq') as id from generate_series(1, ${large.length}::integer)`.execute(tx)
  for (const [index, { row }] of large.entries()) row.given = rows[index]?.id ?? null
}
