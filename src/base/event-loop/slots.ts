/** A semaphore: admits so many at once; others wait in order. */
export class Slots {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(atOnce: number) {
    this.#free = atOnce
  }

  /** Disposing the result releases the slot. */
  async enter(): Promise<Disposable> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((enter) => this.#waiting.push(enter))
    let held = true
    return {
      [Symbol.dispose]: () => {
        if (!held) return
        held = false
        const next = this.#waiting.shift()
        if (next) next()
        else this.#free++
      },
    }
  }
}
