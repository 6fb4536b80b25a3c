import { parentPort, Worker } from 'node:worker_threads'

/** What a thread is sent, and what it sends back. Both may ask for things while they work: `ask` is the question's number. */
type ToThread =
  | { readonly task: number; readonly work: unknown }
  | { readonly task: number; readonly ask: number; readonly outcome: Outcome }
type FromThread =
  | { readonly task: number; readonly outcome: Outcome }
  | { readonly task: number; readonly ask: number; readonly question: unknown }
type Outcome = { readonly result: unknown } | { readonly error: unknown }

/** What a thread's work may ask of whoever sent it. */
export type Ask = (question: never) => Promise<unknown>

interface Waiting {
  readonly promised: PromiseWithResolvers<unknown>
  readonly answer: Ask | undefined
}

/** A thread for work that would hold the event loop. It starts with its first task, keeps the process running only while
 *  there is something to do, and where it ends (out of memory, say) what it had in hand fails and the next task starts it
 *  anew. `module` calls `serve`. */
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

  /** `answer` answers what the work asks for. */
  run(work: Work, answer?: Ask): Promise<Result> {
    const worker = this.#worker ?? this.#start()
    const task = this.#count++
    const promised = Promise.withResolvers<unknown>()
    this.#waiting.set(task, { promised, answer })
    worker.ref()
    worker.postMessage({ task, work } satisfies ToThread)
    return promised.promise as Promise<Result>
  }

  /** Ends the thread; what it has in hand rejects with the reason. The next task starts it anew. */
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
    worker.on('message', (message: FromThread) => void this.#hear(worker, message))
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

  async #hear(worker: Worker, message: FromThread): Promise<void> {
    const waiting = this.#waiting.get(message.task)
    if ('ask' in message) {
      const outcome = await outcomeOf(async () => waiting?.answer?.(message.question as never))
      worker.postMessage({ task: message.task, ask: message.ask, outcome } satisfies ToThread)
      return
    }
    this.#waiting.delete(message.task)
    if (this.#waiting.size === 0) worker.unref()
    if ('error' in message.outcome) waiting?.promised.reject(message.outcome.error)
    else waiting?.promised.resolve(message.outcome.result)
  }
}

/** In the thread: performs what it is sent. What the result holds of `transfer` is handed over without a copy. */
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
      const { outcome } = message
      if ('error' in outcome) asked.get(message.ask)?.reject(outcome.error)
      else asked.get(message.ask)?.resolve(outcome.result)
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
    const outcome = await outcomeOf(async () => {
      const served = await perform(message.work as Work, ask)
      transfer = served.transfer ?? []
      return served.result
    })
    port.postMessage({ task, outcome } satisfies FromThread, transfer)
  })
}

export interface Served {
  readonly result: unknown
  readonly transfer?: ArrayBuffer[]
}

async function outcomeOf(work: () => Promise<unknown>): Promise<Outcome> {
  try {
    return { result: await work() }
  } catch (error) {
    return { error }
  }
}
