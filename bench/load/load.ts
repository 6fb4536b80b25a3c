import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

type Outcome<Result> = { readonly result: Result } | { readonly error: string }

/** A separate process that puts load on a server, so that the clients' CPU time does not count as the server's. */
export class Load<Work, Result> implements AsyncDisposable {
  readonly #child: ChildProcess

  /** `module` is the name of a file in this folder that calls `doLoad`. */
  constructor(module: string) {
    this.#child = fork(new URL(module, import.meta.url))
  }

  async run(work: Work): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Outcome<Result>>()
    const ended = () => reject(new Error('the process that makes the load has ended'))
    this.#child.once('message', resolve)
    this.#child.once('exit', ended)
    this.#child.send(work as object)
    const outcome = await promise.finally(() => this.#child.off('exit', ended))
    if ('error' in outcome) throw new Error(outcome.error)
    return outcome.result
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null) return
    this.#child.disconnect()
    await once(this.#child, 'exit')
  }
}

/** Runs in the load's process: does the received work, one piece after the other. */
export function doLoad<Work, Result>(work: (work: Work) => Promise<Result>): void {
  process.on('message', async (message: Work) => {
    const outcome: Outcome<Result> = await work(message).then(
      (result) => ({ result }),
      (error: unknown) => ({ error: String(error) }),
    )
    process.send?.(outcome)
  })
}
