import { Bad, type Bye } from '../answers.ts'
import type { OpenFolder } from '../selected/open-folder.ts'
import { statusLine } from '../wire/format.ts'
import type { Output } from '../wire/output.ts'
import { AtWork } from './at-work.ts'
import { type Budgets, holderOf } from './budgets.ts'
import type { Connection } from './connection.ts'
import type { Extension, ImapDependencies, Session, User } from './session.ts'

/** The state of a session after login. */
export class SignedIn extends AtWork implements Session {
  readonly parts: ImapDependencies
  readonly user: User
  readonly output: Output
  readonly enabled = new Set<Extension>()
  selected: OpenFolder | undefined
  readonly #connection: Connection
  #turn: Promise<unknown> = Promise.resolve()

  constructor(parts: ImapDependencies, user: User, connection: Connection, budgets: Budgets) {
    super(budgets, holderOf(user), connection.signal)
    this.parts = parts
    this.user = user
    this.#connection = connection
    this.output = this.through(connection.output)
  }

  get signal() {
    return this.#connection.signal
  }

  enable(extension: Extension): void {
    // RFC 7162, section 3.2.3.
    if (extension === 'QRESYNC') this.enable('CONDSTORE')
    if (extension === 'CONDSTORE' && this.selected && !this.enabled.has(extension)) this.#tellModseq(this.selected)
    this.enabled.add(extension)
    if (extension === 'IMAP4rev2' || extension === 'UTF8=ACCEPT') this.#connection.usesUtf8 = true
  }

  /** Who keeps modification sequences from now on learns up to which it was told all (RFC 7162, section 3.1). */
  #tellModseq({ modseq }: OpenFolder): void {
    const code = `HIGHESTMODSEQ ${modseq}`
    this.output.write(statusLine('*', 'OK', 'Highest modification sequence', code))?.catch(() => {})
  }

  select(selected: OpenFolder | undefined): void {
    this.selected = selected
  }

  needSelected(): OpenFolder {
    if (!this.selected) throw new Bad('No mailbox is selected')
    return this.selected
  }

  ask(prompt: string): Promise<string> {
    return this.#connection.ask(prompt)
  }

  /** Work of the session runs one after the other. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work)
    this.#turn = result.catch(() => {})
    return result
  }

  betweenCommands(work: () => Promise<void>): Promise<void> {
    return this.inTurn(() => this.atWork(work))
  }

  end(bye: Bye): void {
    this.#connection.stop(bye)
  }
}
