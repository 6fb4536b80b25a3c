import { cursorBehind, isBelow, isTime, notOurs, placeIn } from '#/http/schemas/cursor.ts'
import type { SearchPlace } from '#/mail/search-index/query.ts'

/** A cursor of a search. */
export function cursorAt({ receivedAt, folder, uid }: SearchPlace, search: readonly string[]): string {
  return cursorBehind([receivedAt, folder, uid], search)
}

/** @throws Refusal for anything but a cursor of the same search */
export function readCursor(cursor: string, search: readonly string[]): SearchPlace {
  const [receivedAt, folder, uid] = placeIn(cursor, search)
  if (!isTime(receivedAt) || typeof folder !== 'string' || !isBelow(uid, 2 ** 53)) throw notOurs()
  return { receivedAt, folder, uid }
}
