import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const main = join(import.meta.dirname, '../src/main.ts')

/** A Mailroom that runs as a process of its own, so that it can be stopped, killed and started again. */
export interface Service {
  readonly http: string
  readonly smtp: { readonly host: string; readonly port: number }
  /** Everything it has written so far, on standard output and standard error. */
  readonly written: () => string
  /** Sends a signal, and answers how the process ended. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>
  readonly process: ChildProcess
}

/** Starts it on a data directory, or on what `env` says, and waits until it runs. */
export async function startService(
  env: Record<string, string>,
  args: readonly string[] = ['serve', '--bare'],
): Promise<Service> {
  const child = spawn(process.execPath, [main, ...args], {
    env: { PATH: process.env.PATH, PORT: '0', MAILROOM_SMTP_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let written = ''
  child.stdout.on('data', (chunk) => {
    written += chunk
  })
  const running = Promise.withResolvers<{ http: string; smtp: Service['smtp'] }>()
  createInterface(child.stderr).on('line', (line) => {
    written += `${line}\n`
    if (line.includes('"msg":"Mailroom runs"')) running.resolve(JSON.parse(line))
  })
  const ended = once(child, 'exit')
  ended.then(() => running.reject(new Error(`it ended before it ran:\n${written}`)))
  const { http, smtp } = await running.promise
  return {
    http,
    smtp,
    written: () => written,
    process: child,
    async end(signal) {
      assert.ok(child.kill(signal))
      const [code, by] = await ended
      return { code, signal: by }
    },
  }
}

/** Runs a command of the operator to its end. */
export async function mailroom(env: Record<string, string>, ...args: string[]) {
  const child = spawn(process.execPath, [main, ...args], { env: { PATH: process.env.PATH, ...env } })
  const [out, err, [code]] = await Promise.all([
    Array.fromAsync(child.stdout),
    Array.fromAsync(child.stderr),
    once(child, 'exit'),
  ])
  return { stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString(), code: code as number | null }
}
