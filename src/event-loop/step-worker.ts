import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { Mutex } from './mutex.ts'

interface Pace {
  /** The pause after a step without work, in milliseconds. */
  readonly idleMs: number
  /** After a step, in times that it took: others' requests come in between. None by default. */
  readonly rest?: number
  /** In place of a rest: resolves when the next step may begin. */
  readonly between?: (signal: AbortSignal) => Promise<void>
  readonly log: Logger
  /** What is logged of a step that failed. The next one follows after `idleMs`. */
  readonly failed: string
}

/** Works in the background, one step at a time, until it is disposed of. What there is to do is in a table, so that each process has a
 *  worker of its own. */
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

  /** Does what comes. */
  start(): void {
    this.#running = this.#run()
  }

  /** Does all that is to be done now. */
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
      // A timer of 0 ms takes one.
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
