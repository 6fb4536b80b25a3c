import { cachedRows } from '../cached.ts'
import type { Place } from '../place.ts'

/** The first message of the loaded conversation so many rows below the one with this message. */
export function neighbour(place: Place, message: string, step: number): string | undefined {
  const rows = cachedRows(place)
  const at = rows.findIndex(({ ids }) => ids.includes(message))
  return at < 0 ? undefined : rows[at + step]?.ids[0]
}
