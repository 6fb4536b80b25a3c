import { basename, relative } from 'node:path'
import { processes } from './processes.ts'
import { type FileResult, type RunOptions, TestFile } from './test-file.ts'

/** How many files run at a time. */
const TOGETHER = 2

/** Once told to stop, a file has so long to end by itself. */
const GRACE_MS = 15_000

export interface RunResult {
  readonly files: readonly FileResult[]
  /** Command lines of what was left running outside all groups, and was killed. */
  readonly left: readonly string[]
}

/** Runs files of tests, some at a time, and says how each ended as it ends. When it returns, nothing that they started
 *  runs any more. An abort ends them first gently, then not. */
export async function runFiles(
  files: readonly string[],
  options: RunOptions,
  say: (text: string) => void,
  stop: AbortSignal,
): Promise<RunResult> {
  const waiting = files.entries()
  const running = new Set<TestFile>()
  const results: FileResult[] = []
  const end = () => {
    for (const one of running) one.kill('SIGTERM')
    setTimeout(() => [...running].map((one) => one.kill()), GRACE_MS).unref()
  }
  stop.addEventListener('abort', end)
  const work = async () => {
    for (const [index, file] of waiting) {
      if (stop.aborted) return
      const test = new TestFile(file, `${index}-${basename(file)}`, options)
      running.add(test)
      const result = await test.result()
      running.delete(test)
      results.push(result)
      say(described(result))
    }
  }
  await Promise.all(Array.from({ length: TOGETHER }, work))
  stop.removeEventListener('abort', end)
  return { files: results, left: killStrays(options.scratch) }
}

/** A file that passed is a line; of one that did not, all that it wrote is shown. */
function described(result: FileResult): string {
  const { file, passed, failed, problems, output, seconds } = result
  const line = `${isGood(result) ? '✔' : '✖'} ${relative(process.cwd(), file)}: ${passed} passed`
  const rest = failed > 0 ? `, ${failed} failed` : ''
  const text = `${line}${rest} (${seconds.toFixed(1)} s)\n`
  return isGood(result) ? text : `${output}${text}${problems.map((problem) => `  ${problem}\n`).join('')}`
}

export function isGood({ failed, problems }: FileResult): boolean {
  return failed === 0 && problems.length === 0
}

/** The closing lines: what failed, once more, and the sums. */
export function summary({ files, left }: RunResult): string {
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

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

/** Whatever left its group was still started in our scratch directory, or names a file there. */
function killStrays(scratch: string): string[] {
  return processes().flatMap(({ pid, started, command }) => {
    if (pid === process.pid || !started.includes(scratch)) return []
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      return [] // It has just ended.
    }
    return [command]
  })
}
