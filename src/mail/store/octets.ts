import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '#/base/db/schema.ts'
import { Refusal } from '#/base/errors.ts'
import { oneAhead } from '#/base/event-loop/one-ahead.ts'
import { pieceBytes, slices } from '#/base/event-loop/pieces.ts'

/** Where the octets of messages are: those of a small one in the row of its content, those of a larger one in pieces of a MiB
 *  (docs/database.md#octets). No other file reads them or writes pieces; small ones
 *  are written by the statement of append-statement.ts. They go with the last copy. */

/** All octets of a small message, over `mail_contents content`; null for a larger one. */
export const whole = sql<Buffer | null>`content.bytes`

/** The first octets of a message, over the same, or over what has these two columns of it. */
export function first(
  length: number | RawBuilder<unknown>,
  at = { bytes: sql`content.bytes`, id: sql`content.id` },
): RawBuilder<Buffer> {
  const octets = typeof length === 'number' ? sql.raw(String(length)) : length
  return sql`substring(coalesce(${at.bytes}, (select bytes from mail_pieces where content_id = ${at.id} and number = 0)) for ${octets})`
}

/** Octets beside other columns: node-postgres returns text. In hexadecimal, its usual form, a MiB holds the event loop for 11 ms, in base64 for 4. */
export function inBase64(octets: RawBuilder<unknown>): RawBuilder<string> {
  return sql`encode(${octets}, 'base64')`
}

/** Whether a message has its octets in pieces. */
export function isLarge(octets: Buffer): boolean {
  return octets.length > pieceBytes
}

/** Stores the octets of a large message, one statement a piece; other requests run between them. */
export async function putPieces(tx: Tx, contentId: number | null, octets: Buffer): Promise<void> {
  let number = 0
  for (const piece of slices(octets))
    await sql`insert into mail_pieces (content_id, number, bytes) values (${contentId}, ${number++}, ${piece})`.execute(
      tx,
    )
}

/** Octets that are read at once. */
const sliceBytes = 256 << 10
const pieceBits = Math.log2(pieceBytes)

/** The message is not there any more. */
export class Gone extends Refusal {
  constructor() {
    super('not_found', 'No such message')
  }
}

/** The octets of a stored message from `start` up to, not including, `end`, the next being read while the last are written. Throws
 *  `Gone`. */
export async function* octetsOf(
  db: Db,
  organizationId: string,
  contentId: number,
  { start, end }: { readonly start: number; readonly end: number },
): AsyncGenerator<Buffer> {
  const slices = oneAhead(starts(start, end), (at) => slice(db, organizationId, contentId, at, sliceEnd(at, end)))
  for await (const parts of slices) yield* parts
}

function* starts(start: number, end: number): Generator<number> {
  for (let at = start; at < end; at = sliceEnd(at, end)) yield at
}

/** Where what is read at once from a place on ends: with the piece of a large message that it is in. */
export function sliceEnd(at: number, end: number): number {
  const pieceEnd = ((at >> pieceBits) + 1) << pieceBits
  return Math.min(at + sliceBytes, end, pieceEnd)
}

/** In parts, as they have arrived. */
async function slice(db: Db, organizationId: string, contentId: number, at: number, end: number): Promise<Buffer[]> {
  const number = at >> pieceBits
  const length = end - at
  const { rows } = await sql<{ octets: Buffer[] }>`
    /* octets */ select case when content.bytes is null then (
        select substring(piece.bytes from ${at - (number << pieceBits) + 1} for ${length})
        from mail_pieces piece where piece.content_id = content.id and piece.number = ${number}
      ) else substring(content.bytes from ${at + 1} for ${length}) end as octets
    from mail_contents content where content.id = ${contentId} and content.organization_id = ${organizationId}`.execute(
    db,
  )
  const parts = rows[0]?.octets ?? []
  if (parts.reduce((sum, part) => sum + part.length, 0) !== length) throw new Gone()
  return parts
}
