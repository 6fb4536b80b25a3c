import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Tree } from './tree.ts'

/** The source that a test file runs, and its time. */
export interface Reach {
  readonly seconds: number
  /** For each source file, offsets at which it begins to be run and ceases to be, in turn. */
  readonly runs: Readonly<Record<string, readonly number[]>>
}

/** V8's coverage of a script. */
interface Script {
  readonly url: string
  readonly functions: readonly {
    readonly ranges: readonly { readonly startOffset: number; readonly endOffset: number; readonly count: number }[]
  }[]
}

export function reaches({ runs }: Reach, file: string, offset: number): boolean {
  return (runs[file] ?? []).findLastIndex((edge) => edge <= offset) % 2 === 0
}

/** What was measured, for as long as what it ran stays the same. */
interface Kept extends Reach {
  readonly of: string
}

/** Runs a file of tests on the source as it is. What was measured once is kept for as long as neither the file nor any of
 *  the source that it loads changes. One that fails can catch nothing: then what it wrote is the answer. */
export async function measure(tree: Tree, test: string, cache: string, stop: AbortSignal): Promise<Reach | string> {
  const path = join(cache, `${test.replaceAll('/', '-')}.json`)
  const kept = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Kept) : undefined
  if (kept && kept.of === hashOf(tree, test, kept.runs)) return kept
  mkdirSync(cache, { recursive: true })
  const directory = mkdtempSync(join(cache, 'coverage-'))
  try {
    const { outcome, output, seconds } = await tree.run(test, 600, stop, { NODE_V8_COVERAGE: directory })
    if (outcome !== 'passed') return output
    const runs = runsOf(tree, directory)
    const measured: Kept = { seconds, runs, of: hashOf(tree, test, runs) }
    writeFileSync(path, JSON.stringify(measured))
    return measured
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

function runsOf(tree: Tree, directory: string): Reach['runs'] {
  const painted = new Map<string, Uint8Array>()
  for (const file of globSync(join(directory, '*.json'))) {
    const { result } = JSON.parse(readFileSync(file, 'utf8')) as { result: readonly Script[] }
    for (const { url, functions } of result) {
      const name = /\/tree\/(src\/.*\.ts)$/.exec(url)?.[1]
      if (name === undefined) continue
      const length = tree.read(name).length
      const run = new Uint8Array(length)
      // An inner range comes after the one that it is in, and says more.
      for (const { startOffset, endOffset, count } of functions.flatMap(({ ranges }) => ranges).toSorted(outerFirst))
        run.fill(Math.min(count, 1), startOffset, endOffset)
      const all = painted.get(name) ?? new Uint8Array(length)
      painted.set(
        name,
        all.map((ran, at) => ran | (run[at] ?? 0)),
      )
    }
  }
  return Object.fromEntries(Array.from(painted, ([name, run]) => [name, edges(run)]))
}

function outerFirst(a: { startOffset: number; endOffset: number }, b: typeof a): number {
  return a.startOffset - b.startOffset || b.endOffset - a.endOffset
}

function edges(run: Uint8Array): number[] {
  return Array.from(run.keys()).filter((at) => run[at] !== (run[at - 1] ?? 0))
}

function hashOf(tree: Tree, test: string, runs: Reach['runs']): string {
  const hash = createHash('sha256').update(process.env.TEST_DATABASE_URL === undefined ? '' : 'server')
  for (const file of [test, ...Object.keys(runs).sort()])
    hash.update(`${file}\n${tree.has(file) ? tree.read(file) : ''}\n`)
  return hash.digest('hex')
}
