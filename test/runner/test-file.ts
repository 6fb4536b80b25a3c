import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { killGroup, processes } from './processes.ts'
import type { Progress } from './progress.ts'

/** How one file of tests ended. */
export interface FileResult {
  readonly file: string
  readonly passed: number
  readonly failed: number
  /** What is wrong with the file beside its tests that failed; empty where nothing is. */
  readonly problems: readonly string[]
  /** What it wrote. */
  readonly output: string
  readonly seconds: number
}

export interface RunOptions {
  /** Flags of node, and options of node:test such as `--test-name-pattern`. */
  readonly flags: readonly string[]
  readonly env: NodeJS.ProcessEnv
  /** For the progress of each file. */
  readonly scratch: string
  /** The most that one test may take, in milliseconds. */
  readonly testMs: number
  /** A file in which no test begins or ends for so long is killed. */
  readonly silentMs: number
}

const reporter = join(import.meta.dirname, 'progress.ts')

/** Runs one file of tests as a process group of its own, of which nothing is left when this returns. */
export class TestFile {
  readonly #file: string
  readonly #child: ChildProcess
  readonly #progress: string
  readonly #silentMs: number

  constructor(file: string, name: string, { flags, env, scratch, testMs, silentMs }: RunOptions) {
    this.#file = file
    this.#silentMs = silentMs
    this.#progress = join(scratch, `${name}.progress`)
    const reporters = [
      ['spec', 'stdout'],
      [reporter, this.#progress],
    ].flatMap(([name, to]) => [`--test-reporter=${name}`, `--test-reporter-destination=${to}`])
    this.#child = spawn(process.execPath, [...flags, `--test-timeout=${testMs}`, ...reporters, file], {
      detached: true,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  }

  async result(): Promise<FileResult> {
    const began = performance.now()
    const child = this.#child
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    const closed = once(child, 'close')
    const silence = this.#watch()
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
    const hung = silence.end()
    const left = this.#left()
    this.kill()
    // What it left running may hold its output open; now nothing does.
    await closed
    const { passed, failed } = this.#counts()
    const problems = [
      ...(hung === undefined ? [] : [`hung, and was killed, in: ${hung}`]),
      ...left.map((command) => `left a process running, which was killed: ${command}`),
    ]
    if (problems.length === 0 && code !== 0 && failed === 0) problems.push(`ended with ${signal ?? code}`)
    return { file: this.#file, passed, failed, problems, output, seconds: (performance.now() - began) / 1_000 }
  }

  /** Ends it with all that it has started. */
  kill(signal?: NodeJS.Signals): void {
    if (this.#child.pid !== undefined) killGroup(this.#child.pid, signal)
  }

  /** Kills the file once it has been silent for too long; `end` answers with the test in which it was. */
  #watch(): { end(): string | undefined } {
    let hung: string | undefined
    let [size, since] = [0, performance.now()]
    const timer = setInterval(
      () => {
        const now = statSync(this.#progress, { throwIfNoEntry: false })?.size ?? 0
        if (now !== size) [size, since] = [now, performance.now()]
        if (performance.now() - since < this.#silentMs) return
        hung = this.#lastBegun()
        this.kill()
      },
      Math.min(1_000, this.#silentMs / 4),
    )
    return {
      end() {
        clearInterval(timer)
        return hung
      },
    }
  }

  /** Command lines of what is still there of its group. */
  #left(): string[] {
    const { pid } = this.#child
    return processes().flatMap(({ group, command }) => (group === pid ? [command] : []))
  }

  #lastBegun(): string {
    return this.#lines().reduce((last, line) => ('begins' in line ? line.begins : last), 'the file itself')
  }

  #counts(): { passed: number; failed: number } {
    const last = this.#lines().at(-1)
    return last && 'passed' in last ? last : { passed: 0, failed: 0 }
  }

  #lines(): Progress[] {
    if (!statSync(this.#progress, { throwIfNoEntry: false })) return []
    const lines = readFileSync(this.#progress, 'utf8').split('\n').slice(0, -1)
    return lines.map((line) => JSON.parse(line) as Progress)
  }
}
