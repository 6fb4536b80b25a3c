import { type ChildProcessWithoutNullStreams, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

const here = join(import.meta.dirname, '../..')

/** As typed in a shell: without what `npm run` and the tests added to the environment. */
const plain = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(npm_|NODE|MAILROOM_|INIT_CWD$|DATABASE_URL$|TEST_DATABASE_URL$|PORT$|HOST$)/i.test(name),
  ),
)
/** Programs of the machine alone, not those that packages have brought. */
const machine = (process.env.PATH ?? '').split(delimiter).filter((part) => !part.includes('node_modules'))

/** Somebody with a fresh clone in a directory with a space in its name: an ordinary user, where we may become one. */
export class Newcomer implements AsyncDisposable {
  readonly #scratch: string
  readonly #clone: string
  readonly #user: { uid?: number; gid?: number }
  readonly #env: NodeJS.ProcessEnv
  #service: ChildProcessWithoutNullStreams | undefined

  /** Node 20 alone is in PATH, with a version of npm (`npm@9`) or the machine's own. `cache` is npm's. */
  constructor(cache: string, npm?: string) {
    this.#scratch = mkdtempSync(join(tmpdir(), 'mailroom-newcomer-'))
    const home = join(this.#scratch, 'at home')
    this.#clone = join(home, 'mailroom')
    mkdirSync(home)
    execFileSync('git', ['clone', '--quiet', `file://${here}`, this.#clone])
    // Who has the machine's npm builds the web app, and the others have what this clone has built, if it did.
    const built = join(here, 'web/dist')
    if (npm && existsSync(built)) cpSync(built, join(this.#clone, 'web/dist'), { recursive: true })
    const npm_config_cache = cache
    this.#env = {
      ...plain,
      npm_config_cache,
      HOME: home,
      TMPDIR: home,
      PATH: [...this.#tools(npm), ...machine].join(delimiter),
    }
    // The user `nobody`.
    this.#user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
    if (this.#user.uid !== undefined) {
      chmodSync(this.#scratch, 0o755)
      execFileSync('chown', ['-R', '65534:65534', home, cache])
    }
  }

  /** Directories with that npm, and with Node 20 unless the machine's own is that. */
  #tools(npm: string | undefined): string[] {
    const env = { ...plain, PATH: machine.join(delimiter) }
    const isOld = execFileSync('node', ['--version'], { env, encoding: 'utf8' }).startsWith('v20.')
    const node = isOld ? undefined : `node-linux-${process.arch}`
    const packages = [...(npm ? [npm] : []), ...(node ? [`${node}@20`] : [])]
    if (packages.length > 0) execFileSync('npm', ['install', '--prefix', this.#scratch, ...packages], { env })
    const modules = join(this.#scratch, 'node_modules')
    return [...(npm ? [join(modules, '.bin')] : []), ...(node ? [join(modules, node, 'bin')] : [])]
  }

  shell(script: string): { output: string; errors: string; status: number | null } {
    const options = { cwd: this.#clone, env: this.#env, encoding: 'utf8', ...this.#user } as const
    const { stdout, stderr, status } = spawnSync('bash', ['-c', script], options)
    return { output: stdout, errors: stderr, status }
  }

  /** Starts a service by a command, and answers with what it prints up to what matches, or all that it has written. */
  async start(command: string, last: RegExp): Promise<string> {
    const options = { cwd: this.#clone, env: this.#env, detached: true, ...this.#user }
    const service = spawn('bash', ['-c', command], options)
    this.#service = service
    let [text, errors] = ['', '']
    const { promise, resolve } = Promise.withResolvers<string>()
    service.stderr.on('data', (chunk) => {
      errors += chunk
    })
    // Read for as long as it runs: it would wait for whoever stops.
    service.stdout.on('data', (chunk) => {
      text += chunk
      if (last.test(text)) resolve(text)
    })
    service.on('close', () => resolve(text + errors))
    return await promise
  }

  /** Sends SIGTERM to the service and all that started it, and answers with the exit code. */
  async stop(): Promise<number | null> {
    const service = this.#service
    if (service?.pid === undefined) throw new Error('It was not started')
    process.kill(-service.pid, 'SIGTERM')
    const [code] = (await once(service, 'exit')) as [number | null]
    return code
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { exitCode = 0, signalCode = null, pid } = this.#service ?? {}
    if (exitCode === null && signalCode === null && pid !== undefined) process.kill(-pid, 'SIGKILL')
    await rm(this.#scratch, { recursive: true, force: true, maxRetries: 3 })
  }
}
