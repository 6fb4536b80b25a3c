import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const program = join(import.meta.dirname, '../../bin/mailroom.js')

/** The program, or what the runner has made of it (test/runner/bundle.ts). A hook that replaces modules of the program needs
 *  these, and sets TEST_PROGRAM to nothing. */
const mainFor = ({ TEST_PROGRAM = process.env.TEST_PROGRAM }: Record<string, string>) => TEST_PROGRAM || program

/** A Mailroom that runs as a process of its own, so that it can be stopped, killed and started again. */
export interface Service {
  readonly http: string
  readonly smtp: { readonly host: string; readonly port: number }
  readonly imap: { readonly host: string; readonly port: number }
  /** Everything it has written so far, on standard output and standard error. */
  readonly written: () => string
  /** Sends a signal, and answers how the process ended. */
  end(signal: NodeJS.Signals): Promise<Ending>
  /** How the process ended, once it has. */
  readonly ended: Promise<Ending>
  readonly process: ChildProcess
}

interface Ending {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** A process that was started and may not run yet. */
export interface Launched {
  /** Rejects where the process ends before it runs. */
  readonly running: Promise<Service>
  readonly end: Service['end']
  readonly process: ChildProcess
}

/** Flags of compilation, and the compile cache, as this process has them. */
const flags = process.execArgv.filter((flag) => flag === '--liftoff-only')
const { PATH, NODE_COMPILE_CACHE } = process.env
const around = { PATH, ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }) }

/** Starts it on a data directory, or on what `env` says, and waits until it runs. */
export function startService(env: Record<string, string>, args?: readonly string[]): Promise<Service> {
  return launchService(env, args).running
}

/** The same without waiting. */
export function launchService(env: Record<string, string>, args: readonly string[] = ['serve', '--bare']): Launched {
  const child = spawn(process.execPath, [...flags, mainFor(env), ...args], {
    env: {
      ...{ ...around, PORT: '0', MAILROOM_SMTP_PORT: '0', MAILROOM_IMAP_PORT: '0' },
      ...(env.MAILROOM_TLS_CERT !== undefined && { MAILROOM_IMAPS_PORT: '0' }),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let written = ''
  child.stdout.on('data', (chunk) => {
    written += chunk
  })
  const running = Promise.withResolvers<Pick<Service, 'http' | 'smtp' | 'imap'>>()
  createInterface(child.stderr).on('line', (line) => {
    written += `${line}\n`
    if (line.includes('"msg":"Mailroom runs"')) running.resolve(JSON.parse(line))
  })
  // Not `exit`, after which what it has written may still be on its way.
  const ended = once(child, 'close').then(([code, signal]): Ending => ({ code, signal }))
  ended.then(() => running.reject(new Error(`it ended before it ran:\n${written}`)))
  const end = async (signal: NodeJS.Signals) => {
    assert.ok(child.kill(signal))
    return await ended
  }
  const service = running.promise.then(({ http, smtp, imap }) => {
    return { http, smtp, imap, written: () => written, process: child, ended, end }
  })
  service.catch(() => {}) // whoever waits for it hears of it
  return { running: service, end, process: child }
}

/** Runs a command of the operator to its end. */
export async function mailroom(env: Record<string, string>, ...args: string[]) {
  const child = spawnMailroom(env, ...args)
  const [out, err, [code]] = await Promise.all([
    Array.fromAsync(child.stdout),
    Array.fromAsync(child.stderr),
    once(child, 'exit'),
  ])
  return { stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString(), code: code as number | null }
}

/** The process of a command. */
export function spawnMailroom(env: Record<string, string>, ...args: string[]) {
  return spawn(process.execPath, [...flags, mainFor(env), ...args], { env: { ...around, ...env } })
}
