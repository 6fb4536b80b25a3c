// The thread that PostgreSQL runs in. The main thread hands it one MessagePort for each connection: frontend messages
// come in on it in batches, the server's messages go out.

import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { createClusterOnce } from './create-cluster.ts'
import { openCluster } from './durable-file-system.ts'
import type { FromWorker, ToWorker } from './engine.ts'
import { Session } from './session.ts'

if (!parentPort) throw new Error('This module is the embedded database’s worker thread')
const main = parentPort
const { directory } = workerData as { directory: string }

/** What PostgreSQL last said on stderr, for the report of its death. */
const lastWords: string[] = []
function remember(line: string): void {
  lastWords.push(line)
  if (lastWords.length > 20) lastWords.shift()
}

/** PGlite swallows what it does not expect and would go on with a broken server, so the thread ends here and now. */
function die(cause: unknown): never {
  const reason = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
  tell({ kind: 'died', reason: [reason, ...lastWords].join('\n') })
  process.exit(1)
}

function tell(message: FromWorker): void {
  main.postMessage(message)
}

await createClusterOnce(directory)
const engine = await openCluster(directory, remember)
const session = new Session(engine, die)
tell({ kind: 'ready' })

/** There is one session, so a connection is served once the one before it has closed. */
let previous: Promise<unknown> = Promise.resolve()

main.on('message', (message: ToWorker) => {
  if (message.kind === 'connect') previous = previous.then(() => serve(message.port)).catch(die)
  else previous.then(() => engine.close()).then(() => main.close(), die)
})

function serve(port: MessagePort): Promise<void> {
  return new Promise((resolve) => {
    port.on('message', (batch: Uint8Array) => session.run(batch, (block) => port.postMessage(block, [block.buffer])))
    port.on('close', () => {
      session.reset()
      resolve()
    })
  })
}
