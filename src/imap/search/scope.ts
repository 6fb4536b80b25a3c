import type { Selected } from '../selected/selected.ts'
import type { Session } from '../session/session.ts'
import { Known } from './known.ts'

/** How often a client is told that a search goes on, in milliseconds. */
const tellEvery = 10_000

/** What a search looks through, and the session that waits for it. */
export class Scope {
  readonly session: Session
  readonly selected: Selected
  readonly known: Known
  readonly now: number
  readonly #tag: string
  #told: number

  constructor(session: Session, tag: string) {
    this.session = session
    this.selected = session.needSelected()
    this.known = new Known(this.selected.messages)
    this.now = session.parts.clock.now()
    this.#tag = tag
    this.#told = this.now
  }

  get db() {
    return this.session.parts.db
  }

  get organizationId(): string {
    return this.selected.mailbox.organizationId
  }

  /** Lets others have the event loop between the steps of a search, and tells the client how far it is (RFC 9585). Throws once the
   *  connection has ended. */
  async pause(done: number, total: number): Promise<void> {
    await this.session.turn()
    this.session.signal.throwIfAborted()
    const now = this.session.parts.clock.now()
    if (now - this.#told < tellEvery) return
    this.#told = now
    // Tags have neither quotes nor backslashes.
    await this.session.output.write(`* OK [INPROGRESS ("${this.#tag}" ${done} ${total})] The search goes on\r\n`)
  }
}
