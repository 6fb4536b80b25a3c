import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ended, killGroup, processes } from './processes.ts'
import type { Progress } from './progress.ts'

/** A test that failed, below its suites; empty where the file itself did. */
export interface Failure {
  readonly test: string
  readonly why: string
}

/** How one file of tests ended. */
export interface FileResult {
  readonly file: string
  readonly passed: number
  readonly failed: number
  readonly failures: readonly Failure[]
  /** CPU seconds of it and of the processes that it has ended; NaN where it was killed. */
  readonly cpu: number
  /** Problems of the file besides its failed tests. */
  readonly problems: readonly string[]
}

/** How a process that ran files of tests ended. */
export interface ProcessResult {
  readonly files: readonly FileResult[]
  /** Files that it did not run. */
  readonly rest: readonly string[]
  /** What it wrote. */
  readonly output: string
  readonly seconds: number
}

export interface RunOptions {
  /** Flags of node, and options of node:test such as `--test-name-pattern`. */
  readonly flags: readonly string[]
  readonly env: NodeJS.ProcessEnv
  /** Where it runs, if not here. */
  readonly cwd?: string
  /** For the progress of each process. */
  readonly scratch: string
  readonly silence: Silence
}

/** Calls `silent` once a process has written nothing to that file for too long, for no test begins or ends in it. Then it is killed. */
export type Silence = (progress: string, silent: () => void) => Disposable

/** After so many milliseconds. */
export function silenceOf(mostMs: number): Silence {
  return (progress, silent) => {
    let [size, since] = [0, performance.now()]
    const look = () => {
      const now = statSync(progress, { throwIfNoEntry: false })?.size ?? 0
      if (now !== size) [size, since] = [now, performance.now()]
      if (performance.now() - since >= mostMs) silent()
    }
    const timer = setInterval(look, Math.min(1_000, mostMs / 4))
    return { [Symbol.dispose]: () => clearInterval(timer) }
  }
}

const [reporter, several] = ['progress.ts', 'several.ts'].map((name) => join(import.meta.dirname, name))

/** Runs files of tests in one process, the leader of a process group of which nothing is left when `result` returns. */
export class TestProcess {
  readonly #files: readonly string[]
  readonly #child: ChildProcess
  readonly #progress: string
  readonly #silence: Silence

  constructor(files: readonly string[], name: string, { flags, env, cwd, scratch, silence }: RunOptions) {
    this.#files = files
    this.#silence = silence
    this.#progress = join(scratch, `${name}.progress`)
    const reporters = [
      ['spec', 'stdout'],
      [reporter, this.#progress],
    ].flatMap(([name, to]) => [`--test-reporter=${name}`, `--test-reporter-destination=${to}`])
    const program = files.length === 1 ? files : [several ?? '', ...files]
    this.#child = spawn(process.execPath, [...flags, ...reporters, ...program], {
      detached: true,
      env,
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  }

  async result(): Promise<ProcessResult> {
    const began = performance.now()
    const child = this.#child
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    const closed = once(child, 'close')
    let hung: string | undefined
    const silence = this.#silence(this.#progress, () => {
      hung = this.#lastBegun()
      this.kill()
    })
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
    silence[Symbol.dispose]()
    const left = this.#left()
    this.kill()
    await ended(({ group }) => group === child.pid)
    // Its children may have held the output open; they are dead now.
    await closed
    const problems = [
      ...(hung === undefined ? [] : [`hung, and was killed, in: ${hung}`]),
      ...left.map((command) => `left a process running, which was killed: ${command}`),
    ]
    return { ...this.#results(problems, signal ?? code), output, seconds: (performance.now() - began) / 1_000 }
  }

  /** Ends it with all that it has started. */
  kill(signal?: NodeJS.Signals): void {
    if (this.#child.pid !== undefined) killGroup(this.#child.pid, signal)
  }

  /** The problems are those of the file that ended last, or of the one that was under way. */
  #results(problems: string[], code: NodeJS.Signals | number | null): Pick<ProcessResult, 'files' | 'rest'> {
    const files: (FileResult & { readonly problems: string[] })[] = []
    let failures: Failure[] = []
    for (const line of this.#lines()) {
      if ('fails' in line) failures.push({ test: line.fails, why: line.why })
      if (!('ends' in line)) continue
      const { passed, failed, cpu } = line
      files.push({ file: this.#files[files.length] ?? '', passed, failed, failures, cpu, problems: [] })
      failures = []
    }
    const next = this.#files[files.length]
    const whole = files.every(({ failed }) => failed === 0)
    if (problems.length === 0 && (next !== undefined || (code !== 0 && whole))) problems.push(`ended with ${code}`)
    const last = files.at(-1)
    if (next !== undefined) files.push({ file: next, passed: 0, failed: 0, failures, cpu: Number.NaN, problems })
    else last?.problems.push(...problems)
    return { files, rest: this.#files.slice(files.length) }
  }

  /** Command lines of what is still there of its group. */
  #left(): string[] {
    const { pid } = this.#child
    return processes().flatMap(({ group, command }) => (group === pid ? [command] : []))
  }

  #lastBegun(): string {
    return this.#lines().reduce((last, line) => ('begins' in line ? line.begins : last), 'the file itself')
  }

  #lines(): Progress[] {
    if (!statSync(this.#progress, { throwIfNoEntry: false })) return []
    const lines = readFileSync(this.#progress, 'utf8').split('\n').slice(0, -1)
    return lines.map((line) => JSON.parse(line) as Progress)
  }
}
