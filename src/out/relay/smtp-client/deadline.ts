import { ConnectionLost, stopped } from '../delivery-failure.ts'

/** Aborts a delivery when its caller does, or after a time-out unless lifted. The reason is a `ConnectionLost`. */
export class Deadline implements Disposable {
  readonly #controller = new AbortController()
  readonly #outer: AbortSignal
  readonly #timer: NodeJS.Timeout

  constructor(outer: AbortSignal, milliseconds: number) {
    this.#outer = outer
    const timedOut = () => new ConnectionLost('4.4.7', `The delivery timed out after ${milliseconds / 1000} s`)
    this.#timer = setTimeout(() => this.#controller.abort(timedOut()), milliseconds)
    if (outer.aborted) this.#stop()
    outer.addEventListener('abort', this.#stop, { once: true })
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Removes the time-out. */
  lift(): void {
    clearTimeout(this.#timer)
  }

  [Symbol.dispose](): void {
    this.lift()
    this.#outer.removeEventListener('abort', this.#stop)
  }

  readonly #stop = () => this.#controller.abort(stopped(this.#outer))
}
