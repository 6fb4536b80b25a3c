// The thread that runs PostgreSQL. It gets one MessagePort per connection: batches of frontend messages come in, the server's
// messages go out.

import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { PGlite } from '@electric-sql/pglite'
import { boundTimers } from './bounded-timers.ts'
import { createClusterOnce } from './create-cluster.ts'
import { openCluster } from './durable-file-system.ts'
import { fitMemory } from './fit-memory.ts'
import { DatabaseSession } from './session.ts'
import type { FromWorker, ToWorker } from './thread-messages.ts'
import type { FromSession, ToSession } from './wire-stream.ts'

if (!parentPort) throw new Error('This module is the embedded database’s worker thread')
const main = parentPort
const { directory } = workerData as { directory: string }

/** The last PANIC or FATAL message of PostgreSQL. Its other lines may quote stored data and do not leave this thread. */
let lastFailure: string | undefined
function noteFailure(line: string): void {
  const [, failure] = /((?:PANIC|FATAL):.*)/.exec(line) ?? []
  lastFailure = failure ?? lastFailure
}

/** PGlite ignores unexpected errors and would continue with a broken server, so the thread ends at once. */
function die(cause: unknown): never {
  const { message } = cause as { message?: string } // Emscripten's ExitStatus is no Error
  post({ kind: 'died', reason: lastFailure ?? message ?? String(cause) })
  process.exit(1)
}

function post(message: FromWorker): void {
  main.postMessage(message)
}

boundTimers()
fitMemory()
const engine = await start().catch(die)
const session = new DatabaseSession(engine, die)
post({ kind: 'ready' })

async function start(): Promise<PGlite> {
  await createClusterOnce(directory)
  return openCluster(directory, noteFailure, () => post({ kind: 'reserve used' }))
}

/** There is one session, so a connection is served once the previous one has closed. */
let previous: Promise<unknown> = Promise.resolve()

main.on('message', (message: ToWorker) => {
  if (message.kind === 'connect') previous = previous.then(() => serve(message.port)).catch(die)
  else previous.then(() => engine.close()).then(() => main.close(), die)
})

function serve(port: MessagePort): Promise<void> {
  return new Promise((resolve) => {
    port.on('message', (message: ToSession) => {
      if (message !== 'close') return session.run(message, (block) => port.postMessage(block, [block.buffer]))
      session.reset()
      port.postMessage('close' satisfies FromSession)
      port.close()
      resolve()
    })
  })
}
