import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Holder, Share } from '#/base/event-loop/fair-share.ts'
import { No } from '../answers.ts'
import type { Output } from '../wire/output.ts'
import type { Budgets } from './budgets.ts'

/** Milliseconds of work after which others that wait have their turn. */
const long = 20
/** Octets that need no part of the memory: a connection takes as much. */
const small = 64 << 10

const nothing: Disposable = { [Symbol.dispose]: () => {} }

/** The part of a session in what organizations share while it works: it has one place at work, and gives it back while its client does not
 *  read what it is sent, and between the steps of long work. Who has begun goes on in any case, if need be without a place: half a
 *  response is none. */
export class AtWork {
  readonly #budgets: Budgets
  readonly #holder: Holder
  readonly #gone: AbortSignal
  #isWorking = false
  #place: Share | undefined
  #since = 0

  constructor(budgets: Budgets, holder: Holder, gone: AbortSignal) {
    this.#budgets = budgets
    this.#holder = holder
    this.#gone = gone
  }

  /** Waits for a place and works. Work within work has its place. @throws No if there is none in time */
  async atWork<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isWorking) return await work()
    this.#isWorking = true
    try {
      if (!(await this.#comesBack())) throw lacking('commands run')
      return await work()
    } finally {
      this.#isWorking = false
      this.#leaves()
    }
  }

  /** Between the steps of long work. */
  turn(): Promise<void> {
    return this.#without(nextTurn())
  }

  /** Memory for what a client is sent, until the answer is disposed. @throws No if there is none in time */
  async reserve(octets: number): Promise<Disposable> {
    if (octets <= small) return nothing
    const { memory, mostMemory } = this.#budgets
    const entered = memory.enter(this.#holder, Math.min(octets, mostMemory), this.#gone)
    // Who waits for memory is not at work, or those who have some could not go on.
    const share = await this.#without(entered)
    if (!share) throw lacking('large answers are made')
    return share
  }

  /** Folders that are remembered for a client. Nobody waits for room: it may be taken for days. */
  remember(folders: number): Promise<Disposable | undefined> {
    return this.#budgets.folders.enter(this.#holder, folders)
  }

  /** The output, for which whoever waits is not at work. */
  through(output: Output): Output {
    return {
      write: (piece) => {
        const taken = output.write(piece)
        if (!this.#isWorking || (!taken && performance.now() - this.#since < long)) return taken
        const written = this.#without(taken ?? nextTurn())
        // Not everybody waits.
        written.catch(() => {})
        return written
      },
    }
  }

  async #without<T>(waiting: Promise<T>): Promise<T> {
    this.#leaves()
    const result = await waiting
    await this.#comesBack()
    return result
  }

  /** False if there was no place in time. */
  async #comesBack(): Promise<boolean> {
    if (!this.#isWorking || this.#place) return true
    const place = await this.#budgets.work.enter(this.#holder, 1, this.#gone)
    // Meanwhile the work may be over, since not everybody waits for what is written.
    if (!this.#isWorking || this.#place) place?.[Symbol.dispose]()
    else this.#place = place
    this.#since = performance.now()
    return place !== undefined
  }

  #leaves(): void {
    this.#place?.[Symbol.dispose]()
    this.#place = undefined
  }
}

function lacking(what: string): No {
  return new No(`Too many ${what} at this moment; try again shortly`, 'LIMIT')
}
