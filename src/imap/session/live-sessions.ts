import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Db } from '#/base/db/schema.ts'
import { short } from '#/base/db/short.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import { Bye, No } from '../answers.ts'
import type { OpenFolder } from '../selected/open-folder.ts'

/** How often is looked whether those who are signed in still may be, in milliseconds. An open connection ends within 5 seconds of
 *  what ends its right. */
const everyMs = 2_500

/** Connections of one mailbox to one process. Programs take up to five each. */
const mostOfMailbox = 50

/** A session that is signed in. */
export interface LiveSession {
  readonly mailbox: MailboxRef
  /** What the stored hash of the password was at login. */
  readonly passwordHash: string
  readonly selected: OpenFolder | undefined
  end(bye: Bye): void
}

/** The sessions of a process that are signed in, with one look at the database for all: they end when the password has changed, the
 *  mailbox or its domain is suspended, the mailbox is deleted, or a selected one is no longer shared. */
export class LiveSessions implements AsyncDisposable {
  readonly #db: Db
  readonly #log: Logger
  readonly #sessions = new Set<LiveSession>()
  readonly #counts = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> | undefined
  #isFailing = false

  constructor(db: Db, log: Logger) {
    this.#db = db
    this.#log = log
  }

  get count(): number {
    return this.#sessions.size
  }

  /** Until the answer is disposed. @throws No if the mailbox has too many connections */
  add(session: LiveSession): Disposable {
    const { mailboxId } = session.mailbox
    const count = this.#counts.get(mailboxId) ?? 0
    if (count >= mostOfMailbox) throw new No(`A mailbox can have at most ${mostOfMailbox} connections`, 'LIMIT')
    this.#counts.set(mailboxId, count + 1)
    this.#sessions.add(session)
    this.#wait()
    return { [Symbol.dispose]: () => this.#remove(session) }
  }

  #remove(session: LiveSession): void {
    if (!this.#sessions.delete(session)) return
    const { mailboxId } = session.mailbox
    const count = (this.#counts.get(mailboxId) ?? 1) - 1
    if (count > 0) this.#counts.set(mailboxId, count)
    else this.#counts.delete(mailboxId)
  }

  #wait(): void {
    this.#timer ??= setTimeout(() => {
      this.#looking = this.look().finally(() => {
        this.#timer = undefined
        if (this.#sessions.size > 0) this.#wait()
      })
    }, everyMs).unref()
  }

  /** Ends the sessions that may no longer be. Never throws: what cannot be looked at now is looked at next time. */
  async look(): Promise<void> {
    try {
      const sessions = [...this.#sessions]
      const found = new Set((await ended(this.#db, sessions)).map(({ place }) => place))
      for (const [place, session] of sessions.entries())
        if (found.has(place + 1)) session.end(new Bye('You are no longer signed in; sign in again'))
      this.#isFailing = false
    } catch (err) {
      if (!this.#isFailing) this.#log.warn({ err }, 'sessions of mail programs could not be looked at; they go on')
      this.#isFailing = true
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer)
    await this.#looking
    clearTimeout(this.#timer)
  }
}

/** The places, from 1, of sessions that may no longer be. */
async function ended(db: Db, sessions: readonly LiveSession[]): Promise<{ place: number }[]> {
  // A selected mailbox that is not the own one, and whether it may be changed.
  const shared = sessions.map(({ mailbox, selected }) => {
    return selected && selected.mailbox.mailboxId !== mailbox.mailboxId ? selected : undefined
  })
  const { rows } = await sql<{ place: number }>`
    select live.place::integer as place
    from unnest(
      ${sessions.map(({ mailbox }) => mailbox.organizationId)}::uuid[], ${sessions.map(({ mailbox }) => mailbox.mailboxId)}::uuid[],
      ${sessions.map(({ passwordHash }) => passwordHash)}::text[], ${shared.map((one) => one?.mailbox.mailboxId ?? null)}::uuid[],
      ${shared.map((one) => one?.isReadOnly ?? true)}::boolean[]
    ) with ordinality as live (organization_id, mailbox_id, password_hash, shared_id, only_reads, place)
    left join mailboxes mailbox
      on mailbox.organization_id = live.organization_id and mailbox.id = live.mailbox_id
        and mailbox.suspended_at is null and mailbox.password_hash = live.password_hash
    left join domains domain
      on domain.id = mailbox.domain_id and domain.suspended_at is null and domain.ownership_verified_at is not null
    where domain.id is null or (live.shared_id is not null and not exists (
      select from mailbox_access access
      where access.organization_id = live.organization_id and access.mailbox_id = live.shared_id
        and access.member_id = mailbox.member_id and (live.only_reads or access.level <> 'read')
    ))`.execute(short(db))
  return rows
}
