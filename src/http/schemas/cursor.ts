import { createHash } from 'node:crypto'
import { invalid } from '#/base/errors.ts'
import { isUuid } from '#/base/text/text.ts'

/** The rest of a list in its order, unaffected by earlier insertions and deletions. */

/** Which list it is: whose, and what decides on its entries and their order. */
export type ListName = readonly (string | boolean | null)[]

/** A page is chosen by its number or by a cursor. @throws Refusal for both */
export function assertNoPage({
  cursor,
  page,
}: {
  readonly cursor?: string | undefined
  readonly page?: number | undefined
}): void {
  if (cursor !== undefined && page !== undefined)
    throw invalid('page', 'Cannot be combined with cursor', 'Leave one of them out')
}

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

/** Where a page begins: behind an entry, or after so many. */
export interface PageStart {
  readonly limit: number
  readonly offset: number
  readonly after: TimedPlace | undefined
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

/** A place in a list that has the order of numbers. Undefined for an empty cursor, which begins.
 *  @throws Refusal for a text that is no cursor of that list */
export function numberedPlace(cursor: string | undefined, list: ListName): number | undefined {
  if (!cursor) return undefined
  const [number] = placeIn(cursor, list)
  if (!isBelow(number, Number.MAX_SAFE_INTEGER)) throw notOurs()
  return number
}

/** A message's place in a list. The message itself may be deleted. */
export interface MessagePlace {
  readonly receivedAt: number
  readonly uid: number
}

/** Undefined for an empty cursor, which begins.
 *  @throws Refusal for a text that is no cursor of that list */
export function listPlace(cursor: string | undefined, list: ListName): MessagePlace | undefined {
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

interface PageOfList<One> {
  readonly limit: number
  readonly list: ListName
  readonly placeOf: (one: One) => readonly (string | number)[]
  /** Whether entries follow the page. By default one more was read than are on it. */
  readonly more?: boolean
}

/** The page and its `next_cursor`. */
export function paged<One>(
  found: readonly One[],
  { limit, list, placeOf, more = found.length > limit }: PageOfList<One>,
): { page: One[]; next_cursor: string | null } {
  const page = found.slice(0, limit)
  const last = page.at(-1)
  return { page, next_cursor: last !== undefined && more ? cursorBehind(placeOf(last), list) : null }
}

interface Paging {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** A page of a list that is read whole, in ascending order of the places, of which the last part names an entry. */
export function pagedWhole<One>(
  all: readonly One[],
  { limit = Math.max(1, all.length), cursor }: Paging,
  { list, placeOf }: { list: ListName; placeOf: (one: One) => readonly (string | number)[] },
): { page: One[]; next_cursor: string | null } {
  const rest = cursor ? all.slice(indexBehind(all.map(placeOf), placeIn(cursor, list))) : all
  return paged(rest, { limit, list, placeOf })
}

/** The place itself, whose entry may have moved within the same millisecond, or what would be behind it if it is gone. */
function indexBehind(places: readonly (readonly (string | number)[])[], place: readonly unknown[]): number {
  if (!place.every((part) => typeof part === 'string' || typeof part === 'number')) throw notOurs()
  const itself = places.findIndex((one) => one.at(-1) === place.at(-1))
  if (itself >= 0) return itself + 1
  const next = places.findIndex((one) => isBehind(one, place))
  return next < 0 ? places.length : next
}

function isBehind(one: readonly (string | number)[], place: readonly unknown[]): boolean {
  const at = one.findIndex((part, index) => part !== place[index])
  const [part, other] = [one[at], place[at]]
  if (part === undefined || typeof part !== typeof other) return false
  return part > (other as typeof part)
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
