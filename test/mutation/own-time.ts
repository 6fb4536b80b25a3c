import { readdirSync, readFileSync } from 'node:fs'
import { type ProcessEntry, processes } from '../runner/processes.ts'

/** What a thread has had of the processors, and how long it has waited for one, in milliseconds. */
interface Share {
  readonly ran: number
  readonly waited: number
}

const everyMs = 250

/** How long processes take by themselves. While one of them waits for a processor, others have it, and the time does not count:
 *  so a machine that does other things as well is not taken for a test that hangs. Where the kernel says nothing of it, all
 *  time counts. */
export class OwnTime implements Disposable {
  readonly #ofThese: (entry: ProcessEntry) => boolean
  readonly #timer: NodeJS.Timeout
  #shares = new Map<string, Share>()
  #at = performance.now()
  #ms = 0

  /** @param onLimit is called once so many milliseconds have passed */
  constructor(ofThese: (entry: ProcessEntry) => boolean, limitMs: number, onLimit: () => void) {
    this.#ofThese = ofThese
    this.#timer = setInterval(() => {
      this.#look()
      if (this.#ms < limitMs) return
      clearInterval(this.#timer)
      onLimit()
    }, everyMs)
  }

  get seconds(): number {
    return (this.#ms + performance.now() - this.#at) / 1_000
  }

  #look(): void {
    const shares = new Map(processes().filter(this.#ofThese).flatMap(sharesOf))
    const now = performance.now()
    this.#ms += counted(now - this.#at, this.#shares, shares)
    this.#shares = shares
    this.#at = now
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }
}

/** How much of the time between two looks at threads counts. What one thread has run counts however long others have waited. */
export function counted(ms: number, before: ReadonlyMap<string, Share>, after: ReadonlyMap<string, Share>): number {
  const since = Array.from(after, ([thread, { ran, waited }]): Share => {
    const then = before.get(thread) ?? { ran: 0, waited: 0 }
    return { ran: ran - then.ran, waited: waited - then.waited }
  })
  const waited = since.reduce((sum, share) => sum + share.waited, 0)
  return Math.max(ms - waited, ...since.map(({ ran }) => ran), 0)
}

/** Of each thread of a process: proc(5), `schedstat`. */
function sharesOf({ pid }: ProcessEntry): [string, Share][] {
  try {
    return readdirSync(`/proc/${pid}/task`).map((thread) => {
      const [ran, waited] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ')
      return [`${pid} ${thread}`, { ran: Number(ran) / 1e6, waited: Number(waited) / 1e6 }]
    })
  } catch {
    return [] // It has ended meanwhile, or there is no such file.
  }
}
