import { readdirSync, readFileSync } from 'node:fs'

/** A thread's CPU time, and its time waiting for a processor, in milliseconds. */
interface Share {
  readonly ran: number
  readonly waited: number
}

const everyMs = 500

/** How long children of this process take by themselves. While one of them waits for a processor, others have it, and the time does
 *  not count: so a machine that does other things as well is not taken for a test that hangs. Where the kernel says nothing of it,
 *  all time counts. */
export class OwnTime implements Disposable {
  readonly #marked: string
  readonly #timer: NodeJS.Timeout
  #shares = new Map<string, Share>()
  #at = performance.now()
  #ms = 0

  /**
   * @param marked identifies those children: their command line or environment holds it
   * @param onLimit is called once so many milliseconds have passed
   */
  constructor(marked: string, limitMs: number, onLimit: () => void) {
    this.#marked = marked
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
    const marked = childrenOf(process.pid).filter((pid) =>
      ['cmdline', 'environ'].some((file) => read(`/proc/${pid}/${file}`).includes(this.#marked)),
    )
    const shares = new Map(marked.flatMap(sharesOf))
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

/** Of each thread of a process and of its children, as proc(5) has it in `schedstat`. */
function sharesOf(pid: number): [string, Share][] {
  const own = threadsOf(pid).map((thread): [string, Share] => {
    const [ran, waited] = read(`${thread}/schedstat`).split(' ')
    return [thread, { ran: Number(ran) / 1e6, waited: Number(waited ?? 0) / 1e6 }]
  })
  return [...own, ...childrenOf(pid).flatMap(sharesOf)]
}

function childrenOf(pid: number): number[] {
  return threadsOf(pid).flatMap((thread) => read(`${thread}/children`).split(' ').filter(Boolean).map(Number))
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}`)
  } catch {
    return [] // It has ended meanwhile, or there is no /proc.
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}
