import { randomInt } from 'node:crypto'

const switches = ['--postgres', '--differing', '--peers', '--times'] as const

/** What the runner was asked for by the words behind its name. */
export interface Wanted {
  /** The runner's own switches, as they were given. */
  readonly switches: ReadonlySet<(typeof switches)[number]>
  /** The number that shuffles the files. */
  readonly shuffle?: string
  /** The number from which values are made up. */
  readonly seed: string
  /** Options of node. */
  readonly options: readonly string[]
  readonly files: readonly string[]
}

/** Values are made up from this number where no other is asked for, so that a run judges the change, and not its luck. */
export const usualSeed = '1'

export function wantedBy(words: readonly string[]): Wanted {
  const [shuffle, unshuffled] = numbered(words, '--shuffle')
  const [seed = usualSeed, rest] = numbered(unshuffled, '--seed')
  const own: ReadonlySet<string> = new Set(switches)
  return {
    switches: new Set(switches.filter((one) => rest.includes(one))),
    ...(shuffle !== undefined && { shuffle }),
    seed,
    options: rest.filter((word) => word.startsWith('--') && !own.has(word)),
    files: rest.filter((word) => !word.startsWith('--')),
  }
}

/** The number behind a word, made where none is given, and the words without both. */
function numbered(words: readonly string[], name: string): [string | undefined, readonly string[]] {
  const at = words.indexOf(name)
  if (at < 0) return [undefined, words]
  // A file is no number.
  const given = /^\d+$/.test(words[at + 1] ?? '') ? words[at + 1] : undefined
  return [given ?? String(randomInt(2 ** 31)), words.toSpliced(at, given === undefined ? 1 : 2)]
}
