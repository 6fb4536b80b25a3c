import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { Mutex } from './mutex.ts'

interface Pace {
  /** How often to look for work without a call of `wake`, in milliseconds. */
  readonly idleMs: number
  /** The time from the start to the first round, in milliseconds, or up to twice as long, so that processes that start together do not
   *  have it at once. None by default. */
  readonly firstMs?: number
  readonly log: Logger
  /** The log message for a failed round. The next one follows after `idleMs`, or once woken. */
  readonly failed: string
}

/** Works in the background, one round at a time, until disposed. Its queue is a table, which the loops of several processes share by
 *  leases, so that a round that finds nothing is cheap. */
export abstract class Loop implements AsyncDisposable {
  readonly #pace: Pace
  readonly #stop = new AbortController()
  readonly #rounds = new Mutex()
  #timer: NodeJS.Timeout | undefined
  #working: Promise<void> | undefined
  #again = false
  #errors = 0

  constructor(pace: Pace) {
    this.#pace = pace
  }

  /** Does one round. Resolves to whether there may be more to do now. */
  protected abstract round(): Promise<boolean>

  /** Waits between two rounds, the first of which took so many milliseconds. Calls of `wake` meanwhile share the second. */
  protected async rest(more: boolean, _ms: number): Promise<void> {
    if (more) await nextTurn()
  }

  /** Ends earlier if the loop stops. */
  protected async pause(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.stopping }).catch(() => {})
  }

  /** Aborted once it is disposed of. */
  protected get stopping(): AbortSignal {
    return this.#stop.signal
  }

  /** How many internal errors there were. */
  get errors(): number {
    return this.#errors
  }

  /** Logs and counts an internal error. */
  protected noteError(err: unknown, text: string, about: object = {}): void {
    this.#errors++
    this.#pace.log.error({ err, ...about }, text)
  }

  /** Whether rounds run or wait. */
  protected get isWorking(): boolean {
    return this.#rounds.pending > 0
  }

  /** Looks for work from now on. */
  start(): void {
    const { idleMs, firstMs } = this.#pace
    const regularly = () => {
      clearInterval(this.#timer)
      this.#timer = setInterval(() => this.wake(), idleMs)
      this.wake()
    }
    if (firstMs === undefined) regularly()
    else this.#timer = setInterval(regularly, firstMs * (1 + Math.random()))
  }

  /** There may be work. Called after a commit that made some; before the start, too. During a round it causes another one, since the
   *  running one may have looked before. */
  wake(): void {
    this.#again = true
    if (!this.stopping.aborted) this.#working ??= this.#work()
  }

  /** Works until there is nothing more to do now. Unlike `wake` it rejects if a round fails. */
  async processAll(): Promise<void> {
    while (await this.oneAtATime(() => this.round()));
  }

  /** Does so many rounds. */
  async processSome(rounds: number): Promise<void> {
    for (let round = 0; round < rounds; round++) await this.oneAtATime(() => this.round())
  }

  /** Does work while no round runs. */
  protected oneAtATime<T>(work: () => Promise<T>): Promise<T> {
    return this.#rounds.run(work)
  }

  async #work(): Promise<void> {
    while (this.#again && !this.stopping.aborted) {
      this.#again = false
      const since = performance.now()
      const more = await this.oneAtATime(() => this.round()).catch((err: unknown) => {
        if (!this.stopping.aborted) this.noteError(err, this.#pace.failed)
        return false
      })
      if (more) this.#again = true
      await this.rest(more, performance.now() - since)
    }
    // In the same turn as the last check of `again`: a later call of `wake` starts anew.
    this.#working = undefined
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    clearInterval(this.#timer)
    await this.#working
    await this.oneAtATime(async () => {})
  }
}
