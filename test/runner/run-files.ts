import { basename, relative } from 'node:path'
import { ended, type ProcessEntry, processes } from './processes.ts'
import type { Spare } from './spare.ts'
import { type FileResult, type ProcessResult, type RunOptions, TestProcess } from './test-process.ts'

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

/** A line for a passed file; for a failed one all output of its process. */
function described({ files, output, seconds }: ProcessResult): string {
  const lines = files.map((result, index) => {
    const { file, passed, failed, problems } = result
    const counts = `${passed} passed${failed > 0 ? `, ${failed} failed` : ''}`
    const time = index === files.length - 1 ? ` (${files.length > 1 ? 'together ' : ''}${seconds.toFixed(1)} s)` : ''
    const line = `${isGood(result) ? '✔' : '✖'} ${relative(process.cwd(), file)}: ${counts}${time}\n`
    return line + problems.map((problem) => `  ${problem}\n`).join('')
  })
  return (files.every(isGood) ? '' : output) + lines.join('')
}

export function isGood({ failed, problems }: FileResult): boolean {
  return failed === 0 && problems.length === 0
}

/** The closing lines: what failed, once more, and the sums. */
export function summary({ processes, left }: RunResult): string {
  const files = processes.flatMap((one) => one.files)
  const bad = files.filter((result) => !isGood(result))
  const lines = [
    ...bad.map(({ file, failed, problems }) =>
      [`✖ ${relative(process.cwd(), file)}`, ...(failed > 0 ? [`${failed} failed`] : []), ...problems].join('; '),
    ),
    ...left.map((command) => `✖ left running, and was killed: ${command}`),
  ]
  const passed = sum(files.map((result) => result.passed))
  const failed = sum(files.map((result) => Math.max(result.failed, isGood(result) ? 0 : 1))) + left.length
  return [...lines, `${passed} passed, ${failed} failed`, ''].join('\n')
}

/** CPU seconds of each file, the most first. */
export function times({ processes }: RunResult): string {
  const files = processes.flatMap((one) => one.files).toSorted((a, b) => b.cpu - a.cpu)
  const line = (seconds: number, what: string) => `${seconds.toFixed(1).padStart(8)} CPU s  ${what}\n`
  const all = sum(files.map(({ cpu }) => cpu || 0))
  return [...files.map(({ file, cpu }) => line(cpu, relative(process.cwd(), file))), line(all, 'all')].join('')
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
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
