import { setTimeout as pause } from 'node:timers/promises'

interface Pace {
  /** Background work does not wait if no request was answered for so long, in milliseconds. */
  readonly quietMs: number
  /** Answers to a client that sends one request after the other, before background work continues: so few of its requests
   *  meet such work that their slowest hundredth does not change. */
  readonly answers: number
  /** The longest wait of background work under constant load, in milliseconds. */
  readonly mostMs: number
}

const usual: Pace = { quietMs: 100, answers: 400, mostMs: 1_000 }

/** The requests that this process answers. Background work runs between them. */
export class Foreground {
  readonly #pace: Pace
  readonly #counting = new Set<(ms: number) => void>()
  /** When a request was answered last. */
  #last = Number.NEGATIVE_INFINITY

  constructor(pace: Partial<Pace> = {}) {
    this.#pace = { ...usual, ...pace }
  }

  /** Records that a request was answered, which took so many milliseconds. */
  answered(ms: number): void {
    this.#last = performance.now()
    for (const count of this.#counting) count(ms)
  }

  /** Resolves when background work may continue. Under constant load it waits longer, but not forever. */
  async letPass(signal: AbortSignal): Promise<void> {
    const { quietMs, answers, mostMs } = this.#pace
    const since = performance.now()
    const passed = new AbortController()
    let [count, took] = [0, 0]
    const counting = (ms: number) => {
      count++
      took += ms
      const elapsed = performance.now() - since
      // In proportion to concurrent requests, whose number is `took / elapsed`.
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
