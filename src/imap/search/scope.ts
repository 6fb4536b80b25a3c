import type { OpenFolder } from '../selected/open-folder.ts'
import { progress } from '../selected/progress.ts'
import type { Session } from '../session/session.ts'
import type { Command } from '../wire/arguments.ts'
import { Known } from './known.ts'

/** What a search looks through, and the session that waits for it. */
export class Scope {
  readonly session: Session
  readonly selected: OpenFolder
  readonly known: Known
  readonly now: number
  readonly #command: Command

  constructor(session: Session, command: Command) {
    this.session = session
    this.selected = session.needSelected()
    this.known = new Known(this.selected.messages)
    this.now = session.parts.clock.now()
    this.#command = command
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
    await progress(this.session, this.#command, done, total)
  }
}
