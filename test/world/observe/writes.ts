import { AsyncLocalStorage } from 'node:async_hooks'
import type { ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Service } from '#test/world/service.ts'
import { watchStatements } from './statements.ts'

/** A select of `hold_requests` writes, too. */
const writes = /\b(?:insert|update|delete|commit|rollback|hold_requests)\b/i
/** What a look itself writes is no reason to look again. */
const looking = new AsyncLocalStorage<true>()

/** Resolves once it holds. It is looked at now, and each time this process has written to a database, or failed to. */
export async function onceWritten(holds: () => Promise<boolean>): Promise<void> {
  let wrote = Promise.withResolvers<void>()
  using _watched = watchStatements(({ text }) =>
    writes.test(text) && !looking.getStore() ? () => wrote.resolve() : undefined,
  )
  while (!(await looking.run(true, holds))) {
    await wrote.promise
    wrote = Promise.withResolvers()
  }
}

/** The environment of a service that tells on its standard output when it has written to one of these tables. */
export function telling(tables: readonly string[], env: Readonly<Record<string, string>> = {}): Record<string, string> {
  const hook = `--import ${fileURLToPath(new URL('./tell-writes.ts', import.meta.url))}`
  return { ...env, NODE_OPTIONS: `${env.NODE_OPTIONS ?? ''} ${hook}`, TELL_WRITES: tables.join('|') }
}

/** Resolves once it holds. It is looked at now, and each time one of these services tells that it has written, or ends. */
export async function onceTold(services: Iterable<{ process: ChildProcess }>, holds: () => Promise<boolean>) {
  let told = Promise.withResolvers<void>()
  const look = () => told.resolve()
  const all = [...services].map(({ process }) => process)
  for (const process of all) process.on('exit', look).stdout?.on('data', look)
  try {
    while (!(await holds())) {
      await told.promise
      told = Promise.withResolvers()
    }
  } finally {
    for (const process of all) process.off('exit', look).stdout?.off('data', look)
  }
}

/** Resolves once a service has written that text. Rejects if it ends without. */
export async function onceSaid({ process, written }: Pick<Service, 'process' | 'written'>, text: string) {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const look = () => void (written().includes(text) && resolve())
  const end = () => reject(new Error(`The service has ended, and never said ${text}`))
  const streams = [process.stdout, process.stderr]
  for (const stream of streams) stream?.on('data', look)
  process.on('close', end)
  try {
    look()
    await promise
  } finally {
    for (const stream of streams) stream?.off('data', look)
    process.off('close', end)
  }
}
