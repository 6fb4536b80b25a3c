import { setTimeout as pause } from 'node:timers/promises'

/** Repeats work that fails, less and less often, until it succeeds. Rejects with its error after some time, or once it is stopped. */
export async function retried<T>(
  work: () => Promise<T>,
  {
    forMs,
    mostBetweenMs,
    stopping,
    failed,
  }: {
    readonly forMs: number
    readonly mostBetweenMs: number
    readonly stopping: AbortSignal
    /** Called before each repetition. */
    readonly failed?: (err: unknown) => void
  },
): Promise<T> {
  const end = performance.now() + forMs
  for (let between = 100; ; between = Math.min(2 * between, mostBetweenMs)) {
    try {
      return await work()
    } catch (err) {
      if (stopping.aborted || performance.now() > end) throw err
      failed?.(err)
      await pause(between, undefined, { signal: stopping }).catch(() => {})
    }
  }
}
