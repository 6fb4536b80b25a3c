import { setTimeout } from 'node:timers/promises'
import { type Launched, launchService, type Service } from '#test/world/service.ts'

/** When a process is killed. */
export type Moment =
  /** So many milliseconds after its start: while it starts, or recovers from the last kill. */
  | { readonly starting: number }
  /** Whatever it does so many milliseconds after a line of its log that holds a text; with `at`, what it does at the next
   *  line that holds that one: the step that the line speaks of is done, the step behind it is not. */
  | { readonly after: { readonly line: string; readonly ms: number }; readonly at?: string }

/** A service that is killed (kill -9) and started again, over and over, on one database. */
export class CrashingService implements AsyncDisposable {
  readonly #env: Readonly<Record<string, string>>
  /** Lines of its log at level `error` or above. */
  readonly complaints: string[] = []
  #life: Promise<Launched>
  #kills = 0

  constructor(env: Readonly<Record<string, string>>) {
    this.#env = env
    this.#life = Promise.resolve(this.#launch())
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
        return await (await life).running
      } catch (error) {
        if (life === this.#life) throw error
      }
    }
  }

  /** Kills it at that moment and starts the next one. */
  async kill(moment: Moment): Promise<void> {
    const launched = await this.#life
    if ('starting' in moment) await setTimeout(moment.starting)
    else {
      const service = await this.running()
      await logged(service, moment.after.line)
      await setTimeout(moment.after.ms)
      if (moment.at !== undefined) await logged(service, moment.at)
    }
    this.#kills += 1
    this.#life = launched.end('SIGKILL').then(() => this.#launch())
    await this.#life
  }

  #launch(): Launched {
    const launched = launchService(this.#env)
    launched.process.stderr?.on('data', (chunk: Buffer) => {
      this.complaints.push(...(chunk.toString().match(/^\{"level":[56]0.*$/gm) ?? []))
    })
    return launched
  }

  /** Stops the last process gracefully. */
  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.running()).end('SIGTERM')
  }
}

/** Resolves when the text comes up in the service's log from now on. */
function logged({ process }: Service, text: string): Promise<void> {
  return new Promise((resolve) => {
    const listen = (chunk: Buffer) => {
      if (!chunk.includes(text)) return
      process.stderr?.off('data', listen)
      resolve()
    }
    process.stderr?.on('data', listen)
  })
}
