import { type Launched, launchService, type Service } from '#test/world/service.ts'
import { type Killing, killedAt } from '../letters/post-office.ts'

/** A service that is killed (kill -9) and started again, over and over, on one database. */
export class CrashingService implements AsyncDisposable {
  readonly #env: Readonly<Record<string, string>>
  readonly #next: (kills: number) => Killing | undefined
  readonly #last = Promise.withResolvers<void>()
  /** Lines of its log at level `error` or above. */
  readonly complaints: string[] = []
  #kills = 0
  #life: Launched

  /** `next` answers at what step of its work the next life is killed; undefined if that is the last one. */
  constructor(env: Readonly<Record<string, string>>, next: (kills: number) => Killing | undefined) {
    this.#env = env
    this.#next = next
    this.#life = this.#launch()
  }

  get kills(): number {
    return this.#kills
  }

  /** The service once it runs: this life's, or the next one's where this one is killed before. Rejects where it ends by
   *  itself. */
  async running(): Promise<Service> {
    for (;;) {
      const life = this.#life
      try {
        return await life.running
      } catch (error) {
        if (life === this.#life) throw error
      }
    }
  }

  /** Resolves once its last life runs. */
  async last(): Promise<void> {
    await this.#last.promise
    await this.running()
  }

  #launch(): Launched {
    const killing = this.#next(this.#kills)
    if (!killing) this.#last.resolve()
    const launched = launchService({ ...this.#env, ...(killing && killedAt(killing)) })
    launched.process.stderr?.on('data', (chunk: Buffer) => {
      this.complaints.push(...(chunk.toString().match(/^\{"level":[56]0.*$/gm) ?? []))
    })
    launched.process.on('close', (_code, signal) => {
      if (signal !== 'SIGKILL') return
      this.#kills++
      this.#life = this.#launch()
    })
    return launched
  }

  /** Stops the last process gracefully. */
  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.running()).end('SIGTERM')
  }
}
