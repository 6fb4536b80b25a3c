import { AsyncLocalStorage } from 'node:async_hooks'
import type { ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { watchStatements } from './statements.ts'

const writes = /\b(?:insert|update|delete|commit|rollback)\b/i
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

/** Resolves once it holds. It is looked at now, and each time one of these services tells that it has written, says a line, or ends. */
export async function onceTold(services: Iterable<{ process: ChildProcess }>, holds: () => Promise<boolean>) {
  let told = Promise.withResolvers<void>()
  const look = () => told.resolve()
  const sources = [...services].flatMap(({ process }) => [process.stdout, process.stderr, process])
  for (const source of sources) source?.on('data', look).on('exit', look)
  try {
    while (!(await holds())) {
      await told.promise
      told = Promise.withResolvers()
    }
  } finally {
    for (const source of sources) source?.off('data', look).off('exit', look)
  }
}
