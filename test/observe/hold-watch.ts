/** Watches for how long at a time this thread's event loop serves nobody else. What counts is the CPU time between two
 *  ticks of a timer, so that what other processes take of a busy machine is not held against us. */
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
