import { mailUnavailable } from '#/base/errors.ts'
import { SingleFlight } from '#/base/event-loop/single-flight.ts'
import type { FolderChanges } from '#/mail/store/changes.ts'
import type { FolderState } from '#/mail/store/folders.ts'
import { ThreadIndex } from './thread-index.ts'

/** The source of a folder's changes. */
export interface FolderSource {
  /** The next changes after a state, or from the beginning. */
  changes(since: FolderState | undefined): Promise<FolderChanges>
  /** The hash of a made-up id. No message can name it. */
  hash(name: string): Buffer
}

/** An index, and the state of the folder that it has. */
export interface Held {
  readonly index: ThreadIndex
  state: FolderState
}

/** The index of one folder, updated on request. Concurrent requests share one reading of the folder. */
export class FolderIndex {
  readonly #source: FolderSource
  readonly #catchingUp = new SingleFlight(() => this.#catchUp())
  #held: Held | undefined

  constructor(source: FolderSource) {
    this.#source = source
  }

  get bytes(): number {
    return this.#held?.index.bytes ?? 0
  }

  /** Whether only changes have to be read, also during an update. */
  get isBuilt(): boolean {
    return this.#held !== undefined
  }

  /** The last read state; undefined during an update. */
  get held(): Held | undefined {
    return this.#catchingUp.isRunning ? undefined : this.#held
  }

  /** The index with all changes before this call. Single-flight: a running update may have read the folder before. */
  upToDate(): Promise<Held> {
    return this.#catchingUp.run()
  }

  async #catchUp(): Promise<Held> {
    const held = this.#held && (await this.#follow(this.#held))
    this.#held = held ?? (await this.#build())
    return this.#held
  }

  /** Applies later changes. Undefined if the index must be rebuilt. */
  async #follow(held: Held): Promise<Held | undefined> {
    for (;;) {
      const step = await this.#source.changes(held.state)
      if (step.reset) return undefined
      held.index.apply(step)
      held.state = step.state
      if (!step.more) return held.index.messages === step.exists && !held.index.needsRebuild ? held : undefined
    }
  }

  /** The new index is visible only when it is complete. */
  async #build(): Promise<Held> {
    let built: Held | undefined
    for (;;) {
      const step = await this.#source.changes(built?.state)
      const { uidValidity } = step.state
      if (!built || step.reset) {
        const index = new ThreadIndex(step.exists, uidValidity, (name) => this.#source.hash(name))
        built = { index, state: step.state }
      }
      built.index.apply(step)
      built.state = step.state
      if (step.more) continue
      if (built.index.messages === step.exists) return built
      throw mailUnavailable(new Error(`of ${step.exists} messages in a folder ${built.index.messages} could be read`))
    }
  }
}
