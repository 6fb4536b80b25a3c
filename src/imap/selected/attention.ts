import { Bye } from '../answers.ts'
import type { Session } from '../session/session.ts'
import type { OpenFolder } from './open-folder.ts'
import { tell } from './tell.ts'

/** How long after a failure is tried again, in milliseconds, unless something wakes the session before. */
const againAfter = 1_000

/** Has a session look again later, after a failure. */
export function lookAgainLater({ selected }: Pick<Session, 'selected'>, wake: () => void): void {
  selected?.lookAgain()
  setTimeout(wake, againAfter).unref()
}

/** What a session tells without being asked: within IDLE, or between commands if NOTIFY wants it. */
export class Attention {
  /** Called in place of telling something between commands, while the session is idle. */
  idle: (() => void) | undefined
  /** When NOTIFY has the selected mailbox told of (RFC 5465, section 6). */
  selected: 'at commands' | 'at once' | 'at once, but expunges' = 'at commands'
  /** Tells new messages of the selected mailbox. */
  arrived: ((folder: OpenFolder, uids: readonly number[]) => Promise<void>) | undefined
  /** Tells of the other mailboxes. */
  others: { readonly tell: () => Promise<void>; readonly end: () => void } | undefined
  #haveOthersChanged = false
  #isDue = false
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  /** The selected mailbox may have changed. */
  readonly wake = (): void => {
    if (this.idle) this.idle()
    else if (this.selected !== 'at commands') this.#soon()
  }

  /** Others may have. */
  readonly wakeForOthers = (): void => {
    this.#haveOthersChanged = true
    if (this.idle) this.idle()
    else this.#soon()
  }

  #soon(): void {
    if (this.#isDue) return
    this.#isDue = true
    const work = async () => {
      this.#isDue = false
      if (this.selected !== 'at commands') await tell(this.#session, { mayExpunge: this.selected === 'at once' })
      await this.#tellOfOthers()
    }
    this.#session.betweenCommands(work).catch((error: unknown) => {
      if (error instanceof Bye) this.#session.end(error)
      else if (!this.#session.signal.aborted) lookAgainLater(this.#session, () => this.#soon())
    })
  }

  /** While the session is idle. Who is idle is not at work, and so this is to be done as work. */
  async tell(): Promise<void> {
    await tell(this.#session, { mayExpunge: true })
    await this.#tellOfOthers()
  }

  async #tellOfOthers(): Promise<void> {
    if (!this.#haveOthersChanged) return
    this.#haveOthersChanged = false
    try {
      await this.others?.tell()
    } catch (error) {
      this.#haveOthersChanged = true
      throw error
    }
  }
}

const attentions = new WeakMap<Session, Attention>()

export function attentionOf(session: Session): Attention {
  const attention = attentions.get(session) ?? new Attention(session)
  attentions.set(session, attention)
  return attention
}
