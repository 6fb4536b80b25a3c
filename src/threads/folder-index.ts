import { mailUnavailable } from '#/errors.ts'
import type { FolderChanges, FolderState } from '#/ports/folder-changes.ts'
import { ThreadIndex } from './thread-index.ts'

/** What a folder's index is caught up from. */
export interface FolderSource {
  /** The next step from a state, or from nothing. */
  changes(since: FolderState | undefined): Promise<FolderChanges>
  /** The hash of an id for a message that has none, which no other message can name. */
  hashOfNameless(uidValidity: number, uid: number): Buffer
}

/** An index, and what of the folder is in it. */
export interface Held {
  readonly index: ThreadIndex
  state: FolderState
}

/** The index of one folder, brought up to date for whoever asks. However many ask at once, the folder is read once. */
export class FolderIndex {
  readonly #source: FolderSource
  #held: Held | undefined
  #running: Promise<Held> | undefined
  #waiting: Promise<Held> | undefined

  constructor(source: FolderSource) {
    this.#source = source
  }

  get bytes(): number {
    return this.#held?.index.bytes ?? 0
  }

  /** The index with all that was in the folder when this was called. A catch-up that already runs may have looked before
   *  that, so its callers are not joined: all who come while it runs share the one that follows. */
  upToDate(): Promise<Held> {
    if (!this.#running) return this.#start()
    this.#waiting ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#waiting = undefined
        // Somebody may have come between the end of that one and this, later than all who wait.
        return this.#running ?? this.#start()
      })
    return this.#waiting
  }

  #start(): Promise<Held> {
    this.#running = this.#catchUp().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #catchUp(): Promise<Held> {
    const held = this.#held && (await this.#follow(this.#held))
    this.#held = held ?? (await this.#build())
    return this.#held
  }

  /** Applies what changed since. Undefined where the index must be built anew. */
  async #follow(held: Held): Promise<Held | undefined> {
    for (;;) {
      const step = await this.#source.changes(held.state)
      if (step.reset) return undefined
      held.index.apply(step)
      held.state = step.state
      if (!step.more) return held.index.messages === step.exists && !held.index.isWorn ? held : undefined
    }
  }

  /** Nobody sees the new index before it is complete. */
  async #build(): Promise<Held> {
    let built: Held | undefined
    for (;;) {
      const step = await this.#source.changes(built?.state)
      const { uidValidity } = step.state
      if (!built || step.reset) {
        const index = new ThreadIndex(step.exists, (uid) => this.#source.hashOfNameless(uidValidity, uid))
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
