import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runFiles } from '../runner/run-files.ts'
import { silenceOf } from '../runner/test-process.ts'

const root = join(import.meta.dirname, '../..')

export interface TestRun {
  readonly outcome: 'passed' | 'failed' | 'timed out'
  /** The first test that failed, as far as one has a name. */
  readonly test: string
  readonly seconds: number
  readonly output: string
}

/** A copy of the working tree, in which mutants are tried. */
export class Tree {
  readonly #root: string
  readonly #scratch: string

  constructor(directory: string) {
    this.#root = join(directory, 'tree')
    this.#scratch = join(directory, 'scratch')
    mkdirSync(this.#scratch, { recursive: true })
    const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: root, encoding: 'utf8' })
    for (const file of files.split('\0').filter((name) => name !== '' && existsSync(join(root, name))))
      cpSync(join(root, file), join(this.#root, file))
    symlinkSync(join(root, 'node_modules'), join(this.#root, 'node_modules'))
  }

  read(file: string): string {
    return readFileSync(join(this.#root, file), 'utf8')
  }

  has(file: string): boolean {
    return existsSync(join(this.#root, file))
  }

  /** Paths in the tree, in an order that stays. */
  files(...patterns: readonly string[]): string[] {
    return globSync(patterns, { cwd: this.#root }).sort()
  }

  /** Runs `work` while a file has another text. */
  async with<T>(file: string, text: string, work: () => Promise<T>): Promise<T> {
    const original = this.read(file)
    writeFileSync(join(this.#root, file), text)
    try {
      return await work()
    } finally {
      writeFileSync(join(this.#root, file), original)
    }
  }

  /** Runs a file of tests until its first failure, or until no test of it begins or ends for so many seconds. Nothing of it runs
   *  after that. */
  async run(test: string, silence: number, stop: AbortSignal, env: NodeJS.ProcessEnv = {}): Promise<TestRun> {
    const named = join(this.#scratch, 'failure')
    rmSync(named, { force: true })
    const reporter = ['--test-reporter', join(import.meta.dirname, 'first-failure.ts')]
    const { processes } = await runFiles(
      [[join(this.#root, test)]],
      {
        flags: ['--liftoff-only', ...reporter, '--test-reporter-destination', named],
        env: { ...process.env, TMPDIR: this.#scratch, NODE_COMPILE_CACHE: join(this.#scratch, 'compiled'), ...env },
        cwd: this.#root,
        scratch: this.#scratch,
        silence: silenceOf(1_000 * silence),
      },
      () => {},
      stop,
    )
    stop.throwIfAborted()
    // Databases that a killed test has left. Templates of databases stay for the next one.
    for (const left of globSync(join(this.#scratch, 'mailroom-test*'))) rmSync(left, { recursive: true, force: true })
    const [{ files, output, seconds }] = processes as [(typeof processes)[number]]
    const [{ failed, problems }] = files as [(typeof files)[number]]
    const hung = problems.some((problem) => problem.startsWith('hung'))
    const good = failed === 0 && problems.length === 0
    const failure = existsSync(named) ? readFileSync(named, 'utf8').split('\n')[0] : undefined
    return {
      outcome: good ? 'passed' : hung && !failure ? 'timed out' : 'failed',
      test: failure || (problems[0] ?? ''),
      seconds,
      output,
    }
  }
}
