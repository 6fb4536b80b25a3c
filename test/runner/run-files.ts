import { basename } from 'node:path'
import { ended, type ProcessEntry, processes } from './processes.ts'
import { described } from './report.ts'
import type { Spare } from './spare.ts'
import { type ProcessResult, type RunOptions, TestProcess } from './test-process.ts'

/** After a signal a process has so long to end by itself. */
const GRACE_MS = 15_000

export interface RunResult {
  readonly processes: readonly ProcessResult[]
  /** Command lines of what was left running outside all groups, and was killed. */
  readonly left: readonly string[]
}

export interface Lanes {
  /** How many processes run at a time; two by default. */
  readonly together?: number
  /** Lets further processes start while processors are idle. */
  readonly spare?: Spare
}

/** How many processes run beyond `together` at most. */
const mostSpare = 2

/** Runs test files, each group in its own process, some at a time, and reports each result as it comes. When
 *  it returns, nothing that they started runs any more. An abort ends them gently first. */
export async function runFiles(
  groups: readonly (readonly string[])[],
  options: RunOptions & Lanes,
  say: (text: string) => void,
  stop: AbortSignal,
): Promise<RunResult> {
  const { together = 2, spare } = options
  const waiting = [...groups]
  const running = new Set<TestProcess>()
  const results: ProcessResult[] = []
  const end = () => {
    for (const one of running) one.kill('SIGTERM')
    setTimeout(() => [...running].map((one) => one.kill()), GRACE_MS).unref()
  }
  stop.addEventListener('abort', end)
  let count = 0
  const isFull = () => running.size >= together && waiting.length > 0 && !stop.aborted
  const work = async () => {
    for (;;) {
      if (isFull()) await spare?.take(isFull)
      const group = stop.aborted ? undefined : waiting.shift()
      if (!group) return
      const one = new TestProcess(group, `${count++}-${basename(group[0] ?? '')}`, options)
      running.add(one)
      const result = await one.result()
      running.delete(one)
      results.push(result)
      say(described(result))
      // A killed process has not run all of its files.
      if (result.rest.length > 0) waiting.push(result.rest)
    }
  }
  await Promise.all(Array.from({ length: together + (spare ? mostSpare : 0) }, work))
  stop.removeEventListener('abort', end)
  return { processes: results, left: await killStrays(options.scratch) }
}

/** Whatever left its group was still started in our scratch directory, or names a file there. */
async function killStrays(scratch: string): Promise<string[]> {
  const isStray = ({ pid, started }: ProcessEntry) => pid !== process.pid && started.includes(scratch)
  const killed = processes()
    .filter(isStray)
    .flatMap(({ pid, command }) => {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        return [] // It has just ended.
      }
      return [command]
    })
  await ended(isStray)
  return killed
}
