/** Measures how long this thread's event loop is blocked at a time, as CPU time between two
 *  ticks of a timer, so that other processes of a busy machine do not count. */
export class HoldWatch implements Disposable {
  /** In milliseconds, since the last `reset`. */
  longest = 0
  #last = process.threadCpuUsage()
  readonly #timer: NodeJS.Timeout

  constructor() {
    this.#timer = setInterval(() => this.#tick(), 1)
  }

  reset(): void {
    this.#last = process.threadCpuUsage()
    this.longest = 0
  }

  /** The longest, with what is under way. */
  async settle(): Promise<number> {
    await new Promise((resolve) => setTimeout(resolve, 3))
    return this.longest
  }

  #tick(): void {
    const now = process.threadCpuUsage()
    this.longest = Math.max(this.longest, (now.user + now.system - this.#last.user - this.#last.system) / 1000)
    this.#last = now
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }
}
