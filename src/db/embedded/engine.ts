import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import { WireStream } from './wire-stream.ts'

export type ToWorker = { kind: 'connect'; port: MessagePort } | { kind: 'close' }
export type FromWorker = { kind: 'ready' } | { kind: 'died'; reason: string }

/** PostgreSQL in a worker thread of this process, on a directory that the caller holds the lock of. */
export interface Engine extends AsyncDisposable {
  /** A new connection. They are served one after the other: the next begins when the one before has closed. */
  connect(): WireStream
  /** Rejects if the engine ends by itself; its connections then fail and it must be opened anew. */
  readonly failed: Promise<never>
}

export async function startEngine(directory: string): Promise<Engine> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: { directory }, name: 'database' })
  const streams = new Set<WireStream>()
  const ready = Promise.withResolvers<void>()
  const failed = Promise.withResolvers<never>()
  const exited = Promise.withResolvers<void>()
  failed.promise.catch(() => {}) // nobody need listen
  let failure: Error | undefined
  let closing = false

  function fail(error: Error): void {
    if (failure) return
    failure = error
    ready.reject(error)
    failed.reject(error)
    for (const stream of streams) stream.destroy(error)
  }

  worker.on('message', (message: FromWorker) => {
    if (message.kind === 'ready') ready.resolve()
    else fail(new Error(`The embedded database ended: ${message.reason}`))
  })
  worker.on('error', (cause) => fail(new Error('The embedded database ended', { cause })))
  worker.on('exit', (code) => {
    if (!closing || code !== 0) fail(new Error(`The embedded database ended with code ${code}`))
    exited.resolve()
  })
  await ready.promise

  return {
    failed: failed.promise,
    connect() {
      const { port1, port2 } = new MessageChannel()
      const stream = new WireStream(port1)
      if (failure) {
        stream.destroy(failure)
        return stream
      }
      streams.add(stream)
      stream.once('close', () => streams.delete(stream))
      worker.postMessage({ kind: 'connect', port: port2 } satisfies ToWorker, [port2])
      return stream
    },
    async [Symbol.asyncDispose]() {
      closing = true
      if (!failure) worker.postMessage({ kind: 'close' } satisfies ToWorker)
      await exited.promise
    },
  }
}
