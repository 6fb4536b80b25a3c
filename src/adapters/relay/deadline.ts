import { Lost, stopped } from './trouble.ts'

/** Ends a delivery when its caller says so, or after a time unless it is lifted. The reason is a `Lost`. */
export class Deadline implements Disposable {
  readonly #controller = new AbortController()
  readonly #outer: AbortSignal
  readonly #timer: NodeJS.Timeout

  constructor(outer: AbortSignal, milliseconds: number) {
    this.#outer = outer
    const late = () => new Lost('4.4.7', `The delivery was not done within ${milliseconds / 1000} s`)
    this.#timer = setTimeout(() => this.#controller.abort(late()), milliseconds)
    if (outer.aborted) this.#stop()
    outer.addEventListener('abort', this.#stop, { once: true })
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** From now on only the caller ends it. */
  lift(): void {
    clearTimeout(this.#timer)
  }

  [Symbol.dispose](): void {
    this.lift()
    this.#outer.removeEventListener('abort', this.#stop)
  }

  readonly #stop = () => this.#controller.abort(stopped(this.#outer))
}
