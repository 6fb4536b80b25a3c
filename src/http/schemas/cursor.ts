import { createHash } from 'node:crypto'
import { invalid } from '#/errors.ts'
import type { ListPlace } from '#/ports/mail-host.ts'
import { isUuid } from '#/text.ts'
import { Line, Nullable } from './shared-schemas.ts'
import { Type } from './type.ts'

/** The rest of a list in its order, unaffected by earlier insertions and deletions. */

/** Which list it is: what decides on its entries and their order. */
export type ListName = readonly (string | boolean | null)[]

/** The parameter. Without it a list has neither. */
export const cursorParameter = Type.Optional(
  Line({
    maxLength: 2_000,
    description:
      'Empty for the first page, then `next_cursor` of the page before, with the same other parameters but `limit`. Entries that ' +
      'come or go meanwhile move no others: none is left out or comes twice.',
  }),
)

export const nextCursor = Type.Optional(
  Nullable(
    Type.String({
      description: 'In an answer to a request with `cursor`: that of the next page; null: there is none.',
      // An answer without it is the usual one.
      examples: [undefined],
    }),
  ),
)

/** A cursor behind a place in a list. The place is looked up only in what the caller may see. */
export function cursorBehind(place: readonly (string | number)[], list: ListName): string {
  return Buffer.from(JSON.stringify([digest(list), ...place])).toString('base64url')
}

/** @throws Refusal for a text that is no cursor of that list */
export function placeIn(cursor: string, list: ListName): unknown[] {
  const [of, ...place] = parsed(cursor)
  if (of !== digest(list)) throw notOurs()
  return place
}

/** A place in a list that has the order of a time, in microseconds, then of an id. */
export interface TimedPlace {
  readonly at: number
  readonly id: string
}

/** Undefined for an empty cursor, which begins.
 *  @throws Refusal for a text that is no cursor of that list */
export function timedPlace(cursor: string | undefined, list: ListName): TimedPlace | undefined {
  if (!cursor) return undefined
  const [at, id] = placeIn(cursor, list)
  if (!isBelow(at, endOfTime * 1_000) || typeof id !== 'string' || !isUuid(id)) throw notOurs()
  return { at, id }
}

/** A place in a list of messages. Undefined for an empty cursor, which begins.
 *  @throws Refusal for a text that is no cursor of that list */
export function listPlace(cursor: string | undefined, list: ListName): ListPlace | undefined {
  if (!cursor) return undefined
  const [receivedAt, uid] = placeIn(cursor, list)
  if (!isTime(receivedAt) || !isBelow(uid, 2 ** 53)) throw notOurs()
  return { receivedAt, uid }
}

/** Mail programs store messages of any date that IMAP can write. */
export function isTime(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= beginningOfTime && Number(value) < endOfTime
}

/** The year 1. */
const beginningOfTime = -62_135_596_800_000

/** The page and its `next_cursor`, of entries of which one more was read than are on a page. */
export function paged<One>(
  found: readonly One[],
  { limit, list, placeOf }: { limit: number; list: ListName; placeOf: (one: One) => readonly (string | number)[] },
): { page: One[]; next_cursor: string | null } {
  const page = found.slice(0, limit)
  const last = page.at(-1)
  return { page, next_cursor: last !== undefined && found.length > limit ? cursorBehind(placeOf(last), list) : null }
}

/** In milliseconds. */
const endOfTime = Date.UTC(10_000)

/** Whether it is a whole number from 0 on. */
export function isBelow(value: unknown, limit: number): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) < limit
}

export function notOurs() {
  return invalid('cursor', 'cursor is not one that this list answered, with the same other parameters')
}

function parsed(cursor: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

function digest(list: ListName): string {
  return createHash('sha256').update(JSON.stringify(list)).digest('base64url').slice(0, 16)
}
