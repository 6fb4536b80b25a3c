import { cachedRows } from '../cached.ts'
import type { Place } from '../place.ts'

/** The loaded conversation so many rows below this one. */
export function neighbour(place: Place, id: string, step: number): string | undefined {
  const rows = cachedRows(place)
  const at = rows.findIndex((row) => row.id === id)
  return at < 0 ? undefined : rows[at + step]?.id
}
