import { parentPort, Worker } from 'node:worker_threads'

/** Messages to a thread, and from it. A task may send its sender requests, numbered by `ask`. */
type ToThread =
  | { readonly task: number; readonly work: unknown }
  | { readonly task: number; readonly ask: number; readonly settled: Settled }
type FromThread =
  | { readonly task: number; readonly settled: Settled }
  | { readonly task: number; readonly ask: number; readonly question: unknown }
type Settled = { readonly result: unknown } | { readonly error: unknown }

/** Answers a task's questions. */
export type Ask = (question: never) => Promise<unknown>

interface Waiting {
  readonly promised: PromiseWithResolvers<unknown>
  readonly answer: Ask | undefined
}

/** A worker thread for work that would block the event loop. Its first task starts it, and it keeps the process running only while
 *  it has tasks. If it ends (out of memory, say) its tasks fail, and the next task starts it again. `module` calls `serve`. */
export class WorkerThread<Work, Result> implements AsyncDisposable {
  readonly #module: URL
  readonly #name: string
  #worker: Worker | undefined
  readonly #waiting = new Map<number, Waiting>()
  #count = 0

  constructor(module: URL, name: string) {
    this.#module = module
    this.#name = name
  }

  /** `answer` answers the questions of the task. */
  run(work: Work, answer?: Ask): Promise<Result> {
    const worker = this.#worker ?? this.#start()
    const task = this.#count++
    const promised = Promise.withResolvers<unknown>()
    this.#waiting.set(task, { promised, answer })
    worker.ref()
    worker.postMessage({ task, work } satisfies ToThread)
    return promised.promise as Promise<Result>
  }

  /** Ends the thread. Its tasks reject with the reason. The next task starts it again. */
  async end(reason: Error): Promise<void> {
    const worker = this.#worker
    if (!worker) return
    this.#fail(worker, reason)
    await worker.terminate()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end(this.#hasEnded())
  }

  #start(): Worker {
    const worker = new Worker(this.#module, { name: this.#name })
    worker.on('message', (message: FromThread) => void this.#onMessage(worker, message))
    worker.on('error', (error) => this.#fail(worker, error))
    worker.on('exit', () => this.#fail(worker, this.#hasEnded()))
    this.#worker = worker
    return worker
  }

  #fail(worker: Worker, error: unknown): void {
    if (this.#worker !== worker) return
    this.#worker = undefined
    for (const { promised } of this.#waiting.values()) promised.reject(error)
    this.#waiting.clear()
  }

  #hasEnded(): Error {
    return new Error(`The thread "${this.#name}" has ended`)
  }

  async #onMessage(worker: Worker, message: FromThread): Promise<void> {
    const waiting = this.#waiting.get(message.task)
    if ('ask' in message) {
      const settled = await settledBy(async () => waiting?.answer?.(message.question as never))
      worker.postMessage({ task: message.task, ask: message.ask, settled } satisfies ToThread)
      return
    }
    this.#waiting.delete(message.task)
    if (this.#waiting.size === 0) worker.unref()
    if ('error' in message.settled) waiting?.promised.reject(message.settled.error)
    else waiting?.promised.resolve(message.settled.result)
  }
}

/** In the thread: performs tasks. Buffers of the result that are in `transfer` are moved, not copied. */
export function serve<Work>(
  perform: (work: Work, ask: (question: unknown) => Promise<unknown>) => Served | Promise<Served>,
): void {
  const port = parentPort
  if (!port) throw new Error('this is for a thread')
  const asked = new Map<number, PromiseWithResolvers<unknown>>()
  let asks = 0
  port.on('message', async (message: ToThread) => {
    const { task } = message
    if ('ask' in message) {
      const { settled } = message
      if ('error' in settled) asked.get(message.ask)?.reject(settled.error)
      else asked.get(message.ask)?.resolve(settled.result)
      asked.delete(message.ask)
      return
    }
    const ask = (question: unknown) => {
      const promised = Promise.withResolvers<unknown>()
      asked.set(asks, promised)
      port.postMessage({ task, ask: asks++, question } satisfies FromThread)
      return promised.promise
    }
    let transfer: ArrayBuffer[] = []
    const settled = await settledBy(async () => {
      const served = await perform(message.work as Work, ask)
      transfer = served.transfer ?? []
      return served.result
    })
    port.postMessage({ task, settled } satisfies FromThread, transfer)
  })
}

export interface Served {
  readonly result: unknown
  readonly transfer?: ArrayBuffer[]
}

async function settledBy(work: () => Promise<unknown>): Promise<Settled> {
  try {
    return { result: await work() }
  } catch (error) {
    return { error }
  }
}
