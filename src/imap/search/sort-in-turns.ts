import { setImmediate as nextTurn } from 'node:timers/promises'

/** So many are sorted at once: some milliseconds. */
const run = 2_048
/** So many are merged before others have the event loop. */
const merged = 8_192
/** So many steps of another kind. */
const steps = 2_048

/** Takes a step for each, and lets others have the event loop in between. */
export async function eachInTurns<T>(items: Iterable<T>, step: (item: T) => void): Promise<void> {
  let done = 0
  for (const item of items) {
    step(item)
    if (++done % steps === 0) await nextTurn()
  }
}

/** The numbers in the order of `compare`, equal ones as they were, without holding the event loop for long. */
export async function sortInTurns(
  numbers: Uint32Array,
  compare: (a: number, b: number) => number,
): Promise<Uint32Array> {
  let from = new Uint32Array(numbers)
  let to = new Uint32Array(numbers.length)
  for (let at = 0; at < from.length; at += run) {
    from.subarray(at, at + run).sort(compare)
    if (at + run < from.length) await nextTurn()
  }
  for (let size = run; size < from.length; size *= 2) {
    for (let at = 0; at < from.length; at += 2 * size) await merge({ from, to, at, size }, compare)
    ;[from, to] = [to, from]
  }
  return from
}

async function merge(
  { from, to, at, size }: { from: Uint32Array; to: Uint32Array; at: number; size: number },
  compare: (a: number, b: number) => number,
): Promise<void> {
  const middle = Math.min(from.length, at + size)
  const end = Math.min(from.length, at + 2 * size)
  let [left, right] = [at, middle]
  for (let place = at; place < end; place++) {
    const isLeft = left < middle && (right === end || compare(from[left] ?? 0, from[right] ?? 0) <= 0)
    to[place] = from[isLeft ? left++ : right++] ?? 0
    if (place % merged === merged - 1) await nextTurn()
  }
}
