import { setTimeout as wait } from 'node:timers/promises'
import { type ServerThread, startThread } from './thread.ts'
import type { WireStream } from './wire-stream.ts'

/** PostgreSQL in this process, on a directory that the caller has locked. */
export interface Engine extends AsyncDisposable {
  connect(): WireStream
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
  let thread = startThread(directory)
  await thread.ready

  async function keepRunning(): Promise<void> {
    for (;;) {
      const cause = await thread.ended
      if (closing.signal.aborted) return
      const next = await restart(directory, closing.signal, (started) => {
        thread = started
      })
      if (closing.signal.aborted) return
      if (!next) return failed.reject(new Error('The embedded database does not start again', { cause }))
    }
  }
  const running = keepRunning()

  return {
    failed: failed.promise,
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
  directory: string,
  closing: AbortSignal,
  use: (thread: ServerThread) => void,
): Promise<ServerThread | undefined> {
  let full = false
  for (let attempt = 0; full || attempt < restartDelays.length; attempt++) {
    await wait(restartDelays[attempt] ?? restartDelays.at(-1), undefined, { signal: closing }).catch(() => {})
    if (closing.aborted) return undefined
    const thread = startThread(directory)
    use(thread)
    const failure = await thread.ready.catch((error: Error) => error)
    if (!failure) return thread
    full = failure.message.includes('No space left on device')
    await thread.ended
  }
  return undefined
}
