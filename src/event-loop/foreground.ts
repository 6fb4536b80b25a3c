import { setTimeout as pause } from 'node:timers/promises'

interface Pace {
  /** Where no request was answered for so long, none is waited for: in milliseconds. */
  readonly quietMs: number
  /** Answers to whoever asks one thing after the other, before work goes on: so few of their requests meet it that the slowest hundredth
   *  is as slow as without. */
  readonly answers: number
  /** Work goes on after so long, however much is asked for: in milliseconds. */
  readonly mostMs: number
}

const usual: Pace = { quietMs: 100, answers: 200, mostMs: 1_000 }

/** The requests that this process answers. Work in the background goes on between them. */
export class Foreground {
  readonly #pace: Pace
  readonly #counting = new Set<(ms: number) => void>()
  /** When a request was answered last. */
  #last = Number.NEGATIVE_INFINITY

  constructor(pace: Partial<Pace> = {}) {
    this.#pace = { ...usual, ...pace }
  }

  /** A request was answered, which took so many milliseconds. */
  answered(ms: number): void {
    this.#last = performance.now()
    for (const count of this.#counting) count(ms)
  }

  /** Resolves when work in the background may go on. Whoever asks all the time has it wait for longer, not forever. */
  async letPass(signal: AbortSignal): Promise<void> {
    const { quietMs, answers, mostMs } = this.#pace
    const since = performance.now()
    const passed = new AbortController()
    let [count, took] = [0, 0]
    const counting = (ms: number) => {
      count++
      took += ms
      const elapsed = performance.now() - since
      // As many times as many where several are asked for at a time: `took / elapsed` is how many.
      if (count >= answers && count * elapsed >= answers * took) passed.abort()
    }
    const left = () => Math.min(this.#last + quietMs, since + mostMs) - performance.now()
    const either = AbortSignal.any([signal, passed.signal])
    this.#counting.add(counting)
    for (let ms = left(); ms > 0 && !either.aborted; ms = left()) {
      await pause(ms, undefined, { signal: either }).catch(() => {})
    }
    this.#counting.delete(counting)
  }
}
