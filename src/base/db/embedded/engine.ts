import { EventEmitter } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { noSpace, type ServerThread, startThread } from './thread.ts'
import type { WireStream } from './wire-stream.ts'

/** PostgreSQL in this process, on a directory that the caller has locked. */
export interface Engine extends AsyncDisposable {
  connect(): WireStream
  /** The directory of the cluster. */
  readonly directory: string
  /** `used` tells of each write for which only the reserve of the disk had room. */
  readonly reserve: EventEmitter<{ used: [] }>
  /** Rejects when the server has died and could not be restarted. */
  readonly failed: Promise<never>
}

/** The pause before each further restart of a dead server, in milliseconds. */
const restartDelays = [0, 1, 2, 4, 8, 15, 15, 15].map((seconds) => seconds * 1000)

/** Starts the server and keeps it running. When it dies (after a failed fsync PostgreSQL must: only its log knows what is on
 *  disk), current work fails. It is restarted and recovers, as under a postmaster. */
export async function startEngine(directory: string): Promise<Engine> {
  const closing = new AbortController()
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => {}) // nobody need listen
  const reserve = new EventEmitter<{ used: [] }>()
  const start = () => startThread(directory, () => void reserve.emit('used'))
  let thread = start()
  await thread.ready

  async function keepRunning(): Promise<void> {
    for (;;) {
      const cause = await thread.ended
      if (closing.signal.aborted) return
      const next = await restart(start, closing.signal, (started) => {
        thread = started
      })
      if (closing.signal.aborted) return
      if (!next) return failed.reject(new Error('The embedded database does not start again', { cause }))
    }
  }
  const running = keepRunning()

  return {
    ...{ directory, reserve, failed: failed.promise },
    connect: () => thread.connect(),
    async [Symbol.asyncDispose]() {
      closing.abort()
      await thread.close()
      await running
    },
  }
}

/** Connections go to each attempt at once, and wait there for the recovery. Gives up after a minute, except while the disk
 *  is full: that passes, and committed data is safe meanwhile. */
async function restart(
  start: () => ServerThread,
  closing: AbortSignal,
  use: (thread: ServerThread) => void,
): Promise<ServerThread | undefined> {
  let full = false
  for (let attempt = 0; full || attempt < restartDelays.length; attempt++) {
    await wait(restartDelays[attempt] ?? restartDelays.at(-1), undefined, { signal: closing }).catch(() => {})
    if (closing.aborted) return undefined
    const thread = start()
    use(thread)
    const failure = await thread.ready.catch((error: Error) => error)
    if (!failure) return thread
    full = failure.message.includes(noSpace)
    await thread.ended
  }
  return undefined
}
