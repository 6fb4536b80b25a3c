import { createHash } from 'node:crypto'
import { invalid } from '#/errors.ts'
import type { SearchPlace } from '#/ports/search.ts'

/** A cursor of a search: where it goes on, and what it is a search for. What it names is looked for only where the caller may
 *  look. */
export function cursorAt({ receivedAt, folder, uid }: SearchPlace, search: readonly string[]): string {
  return Buffer.from(JSON.stringify([digest(search), receivedAt, folder, uid])).toString('base64url')
}

/** @throws Refusal for anything but a cursor of the same search */
export function readCursor(cursor: string, search: readonly string[]): SearchPlace {
  const [of, receivedAt, folder, uid] = parsed(cursor)
  if (
    typeof of !== 'string' ||
    !isBelow(receivedAt, year10000) ||
    typeof folder !== 'string' ||
    !isBelow(uid, 2 ** 53)
  ) {
    throw invalid('cursor', 'cursor is not one that a search answered')
  }
  if (of !== digest(search)) throw invalid('cursor', 'cursor is of another search: q and mailbox must be the same')
  return { receivedAt, folder, uid }
}

const year10000 = Date.UTC(10_000)

function isBelow(value: unknown, limit: number): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) < limit
}

function parsed(cursor: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

function digest(search: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(search)).digest('base64url').slice(0, 16)
}
