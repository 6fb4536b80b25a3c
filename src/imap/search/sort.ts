import type { Scope } from './scope.ts'
import { sortInTurns } from './sort-in-turns.ts'
import type { SortKey } from './sort-program.ts'
import { compareTexts, type Values, valuesOf } from './sort-values.ts'

/** Messages at ascending places in the order of the keys; those that all keys find equal in that of their places (RFC 5256, section 3). */
export async function sorted(scope: Scope, keys: readonly SortKey[], places: readonly number[]): Promise<number[]> {
  const comparisons: ((a: number, b: number) => number)[] = []
  for (const { by, isReverse } of keys) {
    const compare = comparing(await valuesOf(scope, by, places))
    comparisons.push(isReverse ? (a, b) => compare(b, a) : compare)
  }
  const order = await sortInTurns(Uint32Array.from(places.keys()), (a, b) => {
    for (const compare of comparisons) {
      const compared = compare(a, b)
      if (compared !== 0) return compared
    }
    return a - b
  })
  return Array.from(order, (at) => places[at] ?? 0)
}

function comparing(values: Values): (a: number, b: number) => number {
  if (values instanceof Float64Array) return (a, b) => (values[a] ?? 0) - (values[b] ?? 0)
  return (a, b) => compareTexts(values[a] ?? '', values[b] ?? '')
}
