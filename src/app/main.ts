import { parseArgs } from 'node:util'
import { commands } from '#/app/cli/commands.ts'
import { doctorCommand, misconfigured } from '#/app/cli/doctor/doctor.ts'
import { helpFor, overview, serveHelp } from '#/app/cli/help.ts'
import { withInput } from '#/app/cli/input.ts'
import { operate } from '#/app/cli/operate.ts'
import { parseCall, UsageError } from '#/app/cli/parse.ts'
import { failure, present } from '#/app/cli/run.ts'
import { type Config, ConfigError, readConfig } from '#/app/config/config.ts'
import { roles as allRoles, rolesIn } from '#/app/config/roles.ts'
import type { Reply } from '#/app/control/protocol.ts'
import { leadsToJournal, notify, priority } from '#/app/server/systemd.ts'
import type { Db } from '#/base/db/schema.ts'
import { databaseTime } from '#/base/db/time.ts'
import { hasSecret } from '#/base/secrets/given.ts'
import { openKeyring, secretsFor } from '#/base/secrets/open.ts'
import { version } from '#/base/version.ts'
import type { TryRelay } from '#/out/relay/relay-trial.ts'

/** How long a stop may take, in milliseconds. `docker stop` kills a process after ten seconds. */
const mostStopMs = 9_500
/** A signal that is repeated within so many milliseconds counts as the same one. */
const sameSignalMs = 1_000
const tooSlow = 'Stopping took too long: unfinished work was cut off'

await main(process.argv.slice(2))

async function main(argv: readonly string[]): Promise<void> {
  exitOnUncaughtErrors()
  const [first, ...rest] = argv
  if (first === undefined) return print({ stdout: '', stderr: overview(commands), exitCode: 2 })
  if (first === '--version') return print({ stdout: `${version}\n`, stderr: '', exitCode: 0 })
  if (first === '--help' || first === '-h' || (first === 'help' && rest.length === 0))
    return print({ stdout: overview(commands), stderr: '', exitCode: 0 })
  try {
    if (first === 'serve' && !rest.includes('--help')) return await serve(rest)
    if (first === 'serve' || (first === 'help' && rest[0] === 'serve'))
      return print({ stdout: serveHelp, stderr: '', exitCode: 0 })
    const call = parseCall(first === 'help' ? [...rest, '--help'] : argv, commands)
    if (call.help) return print({ stdout: helpFor(call.command), stderr: '', exitCode: 0 })
    const config = readConfig(process.env)
    const keyring = async (db: Db) => openKeyring(db, await secretsFor(db, config))
    const tryRelay: TryRelay = async (...given) => (await import('#/app/server/open-outside.ts')).tryRelay(...given)
    const onProgress = (progress: string) => void process.stderr.write(`${progress}\n`)
    const { stdin: input, stdout: output } = process
    const own = { input, output, hasSecret: (fingerprint: Buffer) => hasSecret(config, fingerprint) }
    const around = {
      config,
      clock: { now: Date.now },
      time: databaseTime,
      keyring,
      tryRelay,
      onProgress,
      own,
    }
    print(await operate(await withInput(argv, call, input), call, around))
  } catch (error) {
    print(explain(error, argv))
  }
}

/** Runs the service until a signal ends it. The log goes to stderr, messages for people to stdout. */
async function serve(args: readonly string[]): Promise<void> {
  const { bare, config } = serveOptions(args, process.env)
  let serving = false
  // A start can be cut off: nothing has been acknowledged yet.
  const signalled = nextSignal(() => (serving ? die(tooSlow) : process.exit(0)))
  // Loaded here, since commands start sooner without it.
  const { startServer } = await import('#/app/server/start.ts')
  const server = await startServer(config, {
    bare,
    journal: leadsToJournal(process.env),
    print: (line) => void process.stdout.write(`${line}\n`),
  })
  serving = true
  server.failed.catch((error: Error) => die(`The embedded database has ended: ${error.message}`))
  process.stdout.write(server.greeting)
  const notSent = (why: string) => server.log.warn({ why }, 'the state of the service could not be sent to systemd')
  await notify(process.env, 'READY=1', notSent)
  await signalled
  void notify(process.env, 'STOPPING=1', notSent)
  await server[Symbol.asyncDispose]()
  process.exit(0)
}

function serveOptions(args: readonly string[], env: NodeJS.ProcessEnv): { bare: boolean; config: Config } {
  const options = { bare: { type: 'boolean' }, roles: { type: 'string' } } as const
  const { bare = false, roles } = parseServe(() => parseArgs({ args: [...args], options }).values)
  const wanted = roles === undefined ? undefined : rolesIn(roles)
  if (roles !== undefined && !wanted)
    throw new UsageError(`--roles takes one or more of ${allRoles.join(', ')}, separated by commas, not "${roles}"`)
  const config = readConfig(env)
  return { bare, config: wanted ? { ...config, roles: wanted } : config }
}

function parseServe<T>(parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n${serveHelp.trimEnd()}`)
  }
}

/** Resolves at the first signal to stop, also one that comes while the service still starts. A second one ends the
 *  process at once. Calls `onTimeout` if the stop takes too long. */
function nextSignal(onTimeout: () => void): Promise<void> {
  return new Promise((resolve) => {
    let first: { signal: NodeJS.Signals; at: number } | undefined
    const stop = (signal: NodeJS.Signals) => {
      const now = performance.now()
      // Ctrl-C reaches the whole group of processes, and npm passes it on: the same signal comes twice.
      if (first?.signal === signal && now - first.at < sameSignalMs) return
      if (first) die(`${signal} a second time: unfinished work was cut off`)
      first = { signal, at: now }
      setTimeout(onTimeout, mostStopMs).unref()
      resolve()
    }
    process.on('SIGTERM', stop).on('SIGINT', stop)
  })
}

function exitOnUncaughtErrors(): void {
  process.on('uncaughtException', (error) => die(error.stack ?? String(error)))
  process.on('unhandledRejection', (reason) =>
    die(reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)),
  )
  // A full disk under the log must not end the service. There is nowhere else to report it.
  process.stderr.on('error', () => {})
  // EPIPE: the reader has ended, as in `mailroom org list | head -1`.
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? 0 : 1))
}

/** One line of JSON like those of the log, for journald with its priority. */
function die(msg: string): never {
  const first = leadsToJournal(process.env) ? priority(60) : ''
  process.stderr.write(`${first}${JSON.stringify({ level: 60, time: Date.now(), pid: process.pid, msg })}\n`)
  process.exit(1)
}

function explain(error: unknown, argv: readonly string[]): Reply {
  if (!(error instanceof ConfigError)) return failure(error)
  if (argv[0] === doctorCommand.name) return present(misconfigured(error.problems), argv.includes('--json'))
  const lines = error.problems.map((problem) => `  ${problem}\n`).join('')
  return { stdout: '', stderr: `mailroom: the configuration cannot be used:\n${lines}`, exitCode: 1 }
}

function print({ stdout, stderr, exitCode }: Reply): void {
  process.stdout.write(stdout)
  process.stderr.write(stderr)
  process.exitCode = exitCode
}
