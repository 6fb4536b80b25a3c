import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { Mutex } from './mutex.ts'

interface Pace {
  /** The pause after a step without work, in milliseconds. */
  readonly idleMs: number
  /** The pause after a step, as a multiple of its duration, for other requests. None by default. */
  readonly rest?: number
  /** In place of a rest: resolves when the next step may begin. */
  readonly between?: (signal: AbortSignal) => Promise<void>
  readonly log: Logger
  /** The log message for a failed step. The next one follows after `idleMs`. */
  readonly failed: string
}

/** Works in the background, one step at a time, until disposed. Its queue is a table, which the workers of several processes
 *  share. */
export abstract class StepWorker implements AsyncDisposable {
  readonly #pace: Pace
  readonly #stop = new AbortController()
  readonly #steps = new Mutex()
  #running: Promise<void> = Promise.resolve()

  constructor(pace: Pace) {
    this.#pace = pace
  }

  /** Does one step. Resolves to whether there may be more to do now. */
  protected abstract step(): Promise<boolean>

  /** Aborted once it is disposed of. */
  protected get stopping(): AbortSignal {
    return this.#stop.signal
  }

  /** Works until disposed. */
  start(): void {
    this.#running = this.#run()
  }

  /** Works until there is nothing more to do now. */
  async processAll(): Promise<void> {
    while (await this.#steps.run(() => this.step()));
  }

  /** Does so many steps. */
  async processSome(steps: number): Promise<void> {
    for (let step = 0; step < steps; step++) await this.#steps.run(() => this.step())
  }

  async #run(): Promise<void> {
    const { idleMs, rest = 0, between, log, failed } = this.#pace
    const signal = this.stopping
    while (!signal.aborted) {
      const since = performance.now()
      const more = await this.#steps
        .run(() => this.step())
        .catch((err: unknown) => {
          if (!signal.aborted) log.error({ err }, failed)
          return false
        })
      const ms = more ? rest * (performance.now() - since) : idleMs
      // A timer of 0 ms takes 1 ms.
      await (ms > 0 ? pause(ms, undefined, { signal }).catch(() => {}) : nextTurn())
      if (more) await between?.(signal)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#running
    await this.#steps.run(async () => {})
  }
}
