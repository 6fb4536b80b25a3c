import { MessageChannel, Worker } from 'node:worker_threads'
import type { FromWorker, ToWorker } from './thread-messages.ts'
import { WireStream } from './wire-stream.ts'

/** In the message of a failure for which the disk has no room. */
export const noSpace = 'No space left on device'

/** One run of the worker thread that has PostgreSQL. */
export interface ServerThread {
  /** Resolves when it has recovered and accepts queries; rejects if it dies before. */
  readonly ready: Promise<void>
  /** Why it died, or undefined after `close`. */
  readonly ended: Promise<Error | undefined>
  /** Connections are served one after the other: the next begins when the previous one has closed. */
  connect(): WireStream
  close(): Promise<void>
}

/** Calls `onReserveUsed` whenever only the reserve of the disk had room for a write. */
export function startThread(directory: string, onReserveUsed: () => void): ServerThread {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: { directory }, name: 'database' })
  const streams = new Set<WireStream>()
  const ready = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<Error | undefined>()
  ready.promise.catch(() => {}) // `ended` says it too
  let failure: Error | undefined
  let end = 'does not start'
  let closing = false

  function fail(error: Error): void {
    failure ??= error
    ready.reject(failure)
    for (const stream of streams) stream.destroy(failure)
  }
  function send(message: ToWorker): void {
    worker.postMessage(message, message.kind === 'connect' ? [message.port] : [])
  }

  worker.on('message', (message: FromWorker) => {
    if (message.kind === 'ready') {
      end = 'died'
      ready.resolve()
    } else if (message.kind === 'reserve used') onReserveUsed()
    else fail(failureOf(`The embedded database in ${directory} ${end}: ${message.reason}`))
  })
  worker.on('error', (cause) => fail(new Error(`The embedded database in ${directory} ${end}`, { cause })))
  worker.on('exit', (code) => {
    if (!closing || code !== 0) fail(new Error(`The embedded database in ${directory} ${end} with code ${code}`))
    ended.resolve(failure)
  })

  return {
    ready: ready.promise,
    ended: ended.promise,
    connect() {
      const { port1, port2 } = new MessageChannel()
      const stream = new WireStream(port1)
      if (failure) {
        // After a turn of the event loop. Otherwise immediate retries would keep it from starting another thread.
        setImmediate(() => stream.destroy(failure))
        return stream
      }
      streams.add(stream)
      stream.once('close', () => streams.delete(stream))
      send({ kind: 'connect', port: port2 })
      return stream
    },
    async close() {
      closing = true
      send({ kind: 'close' })
      await ended.promise
    },
  }
}

/** Those who wait for an answer meanwhile are told of a full disk, as those are whom a statement refuses. */
function failureOf(message: string): Error {
  return Object.assign(new Error(message), message.includes(noSpace) && { code: 'ENOSPC' })
}
