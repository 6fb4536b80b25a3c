import { readFileSync } from 'node:fs'
import type { TestEvent } from 'node:test/reporters'
import { why } from './why.ts'

/** One line of a test process's report, as JSON. */
export type Progress =
  | { readonly begins: string }
  /** A test of the file that ends next, below its suites, and the reason. */
  | { readonly fails: string; readonly why: string }
  /** The result of a file, with its CPU seconds here and in child processes that have ended. */
  | { readonly ends: string; readonly passed: number; readonly failed: number; readonly cpu: number }

/** The file that is the whole program, unless that is several.ts, where each file is a test in a test. */
const only = process.argv[1]?.endsWith('several.ts') ? undefined : (process.argv[1] ?? '')

/** How many tests stand around those of a file. */
const above = only === undefined ? 2 : 0

/** For several.ts to note `cpuSeconds` in where a file ends: this reporter hears of it later. */
export const cpuAtEnds: number[] = []

/** A reporter of node:test that says which test begins, at once, and how many passed of a file that has ended. A process
 *  that writes nothing for long hangs, in the test that it named last. */
export default async function* progress(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let counted = { passed: 0, failed: 0 }
  let before = 0
  const ends = (file: string) => {
    const now = cpuAtEnds.shift() ?? cpuSeconds()
    const text = line({ ends: file, ...counted, cpu: now - before })
    counted = { passed: 0, failed: 0 }
    before = now
    return text
  }
  const names: string[] = []
  for await (const { type, data } of events) {
    if (type === 'test:dequeue') yield line({ begins: data.name })
    if (type === 'test:start') names.splice(data.nesting, names.length, data.name)
    if (type !== 'test:pass' && type !== 'test:fail') continue
    // What fails because of what is in it has no reason of its own.
    if (type === 'test:fail' && failureOf(data.details.error) !== 'subtestsFailed')
      yield line({ fails: names.slice(above, data.nesting + 1).join(' › '), why: why(data.details.error.cause) })
    const isFile = only === undefined && data.nesting < 2
    if (!isFile && data.details.type !== 'suite') counted[type === 'test:pass' ? 'passed' : 'failed'] += 1
    if (!isFile || data.nesting > 0) continue
    // A file fails with its tests, which were counted; or by itself.
    if (type === 'test:fail' && counted.failed === 0) counted.failed = 1
    yield ends(data.name)
  }
  if (only !== undefined) yield ends(only)
}

function failureOf(error: Error): unknown {
  return 'failureType' in error ? error.failureType : undefined
}

function line(progress: Progress): string {
  return `${JSON.stringify(progress)}\n`
}

/** Children count once they have been waited for (proc_pid_stat(5): cutime, cstime). */
export function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6 + endedChildren()
}

function endedChildren(): number {
  const ticksPerSecond = 100
  try {
    const fields = readFileSync('/proc/self/stat', 'latin1').split(') ').at(-1)?.split(' ') ?? []
    return (Number(fields[13]) + Number(fields[14])) / ticksPerSecond
  } catch {
    return 0 // There is no /proc.
  }
}
