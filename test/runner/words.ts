import { randomInt } from 'node:crypto'

const switches = ['--postgres', '--differing', '--peers', '--times'] as const

/** What the runner was asked for by the words behind its name. */
export interface Wanted {
  /** The runner's own switches, as they were given. */
  readonly switches: ReadonlySet<(typeof switches)[number]>
  /** Shuffles the files. */
  readonly seed?: string
  /** Options of node. */
  readonly options: readonly string[]
  readonly files: readonly string[]
}

export function wantedBy(words: readonly string[]): Wanted {
  const at = words.indexOf('--shuffle')
  // A file is no number.
  const given = at >= 0 && /^\d+$/.test(words[at + 1] ?? '')
  const seed = given ? words[at + 1] : at >= 0 ? String(randomInt(2 ** 31)) : undefined
  const rest = words.filter((_, index) => index !== at && !(given && index === at + 1))
  const own: ReadonlySet<string> = new Set(switches)
  return {
    switches: new Set(switches.filter((one) => rest.includes(one))),
    ...(seed !== undefined && { seed }),
    options: rest.filter((word) => word.startsWith('--') && !own.has(word)),
    files: rest.filter((word) => !word.startsWith('--')),
  }
}
