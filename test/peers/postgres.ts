// A throwaway PostgreSQL server. As a command: npm run node -- test/peers/postgres.ts -- COMMAND… runs COMMAND with TEST_DATABASE_URL set.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { appendFile, chown, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '#test/world/sockets/free-port.ts'

const run = promisify(execFile)
const debian = '/usr/lib/postgresql'

export interface PostgresServer extends AsyncDisposable {
  url: string
  /** Ends it as a crash does, sessions and all, and starts it again (`pg_ctl restart -m immediate`). */
  restart(): Promise<void>
  /** Ends it at once, and its sessions with it. */
  end(): Promise<void>
  /** Starts it again. */
  start(): Promise<void>
  /** Stops all its processes where they are (SIGSTOP), or has them go on. */
  freeze(): Promise<void>
  thaw(): Promise<void>
}

/** A network other than this one. */
interface Elsewhere {
  /** The address at which a server there is reached. */
  readonly host: string
  /** The command that runs another one there, as the user `postgres`. */
  readonly enter: readonly string[]
}

/** Starts a server of its own on a free port of 127.0.0.1, as the user `postgres` where we are root; fsync is on. */
export async function startPostgres(
  settings: Readonly<Record<string, string>> = {},
  within = tmpdir(),
  elsewhere?: Elsewhere,
): Promise<PostgresServer> {
  const binaries = findBinaries()
  const account = process.getuid?.() === 0 ? await accountOf('postgres') : undefined
  await using starting = new AsyncDisposableStack()
  const directory = await mkdtemp(join(within, 'mailroom-postgres-'))
  starting.defer(() => rm(directory, { recursive: true, force: true }))
  if (account) await chown(directory, account.uid, account.gid)

  const data = join(directory, 'data')
  // Nothing here has to outlive a power cut but what the running server writes, so initdb need not sync.
  const initdb = ['-D', data, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync']
  await run(join(binaries, 'initdb'), initdb, { ...account, cwd: directory })
  const port = await freePort()
  const { host = '127.0.0.1', enter = [] } = elsewhere ?? {}
  if (elsewhere) await appendFile(join(data, 'pg_hba.conf'), 'host all all all trust\n')
  const listen = elsewhere ? '*' : host
  const options = { port: String(port), listen_addresses: listen, unix_socket_directories: directory, ...settings }
  const url = `postgres://postgres@${host}:${port}/postgres`
  const launch = async () => {
    const given = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const [command = '', ...parameters] = [...enter, join(binaries, 'postgres'), '-D', data, ...given]
    const server = spawn(command, parameters, {
      ...(elsewhere ? {} : account),
      cwd: directory,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    await ready(server)
    return server
  }
  let server = await launch()
  starting.defer(() => stop(server, 'SIGINT'))
  const end = () => stop(server, 'SIGQUIT')
  const start = async () => {
    server = await launch()
  }
  const restart = async () => {
    await end()
    await start()
  }
  // Its own process first, which would start others in place of those that stop.
  const signal = async (name: 'SIGSTOP' | 'SIGCONT') => {
    server.kill(name)
    const children = await readFile(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8')
    for (const pid of children.trim().split(' ')) {
      try {
        process.kill(Number(pid), name)
      } catch {
        // It has ended meanwhile.
      }
    }
  }
  const [freeze, thaw] = [() => signal('SIGSTOP'), () => signal('SIGCONT')]
  const started = starting.move()
  return { url, restart, end, start, freeze, thaw, [Symbol.asyncDispose]: () => started.disposeAsync() }
}

function findBinaries(): string {
  const versions = existsSync(debian) ? readdirSync(debian).filter((version) => Number(version) >= 15) : []
  const newest = versions.sort((a, b) => Number(b) - Number(a)).map((version) => join(debian, version, 'bin'))
  const found = newest.find((binaries) => existsSync(join(binaries, 'initdb')))
  if (!found) throw new Error(`No PostgreSQL server (15 or later) in ${debian}: apt-get install postgresql`)
  return found
}

async function accountOf(user: string): Promise<{ uid: number; gid: number }> {
  const id = async (which: string) => Number((await run('id', [which, user])).stdout)
  return { uid: await id('-u'), gid: await id('-g') }
}

/** Returns when the server takes connections, which it logs. Its log is read for as long as it runs, for it waits for whoever reads that. */
async function ready(server: ChildProcess): Promise<void> {
  let log = ''
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.stderr?.setEncoding('utf8').on('data', (text: string) => {
    log = `${log}${text}`.slice(-4000)
    if (log.includes('is ready to accept connections')) resolve()
  })
  server.once('error', reject)
  server.once('exit', () => reject(new Error(`PostgreSQL did not start:\n${log}`)))
  await promise
}

/** SIGINT is PostgreSQL's fast shutdown: sessions that are still open are ended. SIGQUIT is its immediate one. */
async function stop(server: ChildProcess, signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  server.kill(signal)
  await once(server, 'exit')
}

if (import.meta.main) {
  const [command, ...parameters] = process.argv.slice(process.argv.indexOf('--') + 1)
  if (!process.argv.includes('--') || command === undefined)
    throw new Error('npm run node -- test/peers/postgres.ts -- COMMAND…')
  await using server = await startPostgres()
  const child = spawn(command, parameters, { stdio: 'inherit', env: { ...process.env, TEST_DATABASE_URL: server.url } })
  // The command decides what a signal means; we stay until it has ended, and clean up.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  const [code] = (await once(child, 'exit')) as [number | null]
  process.exitCode = code ?? 1
}
