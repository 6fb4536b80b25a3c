import { relative } from 'node:path'
import type { RunResult } from './run-files.ts'
import type { Failure, FileResult, ProcessResult } from './test-process.ts'

/** Of one file in the summary: its different reasons, and the tests that share one. */
const [mostReasons, mostTests] = [5, 3]

/** What a process that ended by itself wrote last, for whose end there is no other reason. */
const lastLines = 12

export function isGood({ failed, problems }: FileResult): boolean {
  return failed === 0 && problems.length === 0
}

/** A line for a passed file; for a failed one all output of its process. */
export function described({ files, output, seconds }: ProcessResult): string {
  const lines = files.map((result, index) => {
    const { file, passed, failed, problems } = result
    const counts = `${passed} passed${failed > 0 ? `, ${failed} failed` : ''}`
    const time = index === files.length - 1 ? ` (${files.length > 1 ? 'together ' : ''}${seconds.toFixed(1)} s)` : ''
    const line = `${isGood(result) ? '✔' : '✖'} ${relative(process.cwd(), file)}: ${counts}${time}\n`
    return line + problems.map((problem) => `  ${problem}\n`).join('')
  })
  return (files.every(isGood) ? '' : output) + lines.join('')
}

/** The closing lines: what failed and why, once more, since who reads a long log reads its end; and the sums. */
export function summary({ processes, left }: RunResult): string {
  const files = processes.flatMap((one) => one.files)
  const lines = [
    ...processes.flatMap(({ files, output }) => files.filter((file) => !isGood(file)).flatMap(failedLines(output))),
    ...left.map((command) => `✖ left running, and was killed: ${command}`),
  ]
  const passed = sum(files.map((result) => result.passed))
  const failed = sum(files.map((result) => Math.max(result.failed, isGood(result) ? 0 : 1))) + left.length
  return [...lines, `${passed} passed, ${failed} failed`, ''].join('\n')
}

function failedLines(output: string): (result: FileResult) => string[] {
  return ({ file, failed, failures, problems }) => {
    const ended = problems.some((problem) => problem.startsWith('ended with')) && failures.length === 0
    return [
      [`✖ ${relative(process.cwd(), file)}`, ...(failed > 0 ? [`${failed} failed`] : []), ...problems].join('; '),
      ...reasons(failures),
      ...(ended ? output.trimEnd().split('\n').slice(-lastLines).map(indented(4)) : []),
    ]
  }
}

/** Tests that failed for one reason, as those behind a hook that did, have it together. */
function reasons(failures: readonly Failure[]): string[] {
  const groups = [...Map.groupBy(failures, ({ why }) => why)]
  const more = groups.length - mostReasons
  return [
    ...groups
      .slice(0, mostReasons)
      .flatMap(([why, alike]) => [
        ...alike.slice(0, mostTests).flatMap(({ test }) => (test === '' ? [] : [`  ✖ ${test}`])),
        ...(alike.length > mostTests ? [`  ✖ and ${alike.length - mostTests} more`] : []),
        ...why.split('\n').map(indented(4)),
      ]),
    ...(more > 0 ? [`  ✖ and more, for ${more} other reason${more > 1 ? 's' : ''}`] : []),
  ]
}

function indented(columns: number): (line: string) => string {
  return (line) => `${' '.repeat(columns)}${line}`
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
