import type { Logger } from 'pino'
import { query } from '#/db/query.ts'
import type { Db } from '#/db/schema.ts'

/** How often to record that an organization reads the log, in milliseconds. */
const everyMs = 600_000

/** Stores roughly when organizations read the log: mailboxes on an IMAP server are checked for readers only (docs/mail-host.md). */
export class ReaderNotes implements AsyncDisposable {
  readonly #db: Db
  readonly #log: Logger
  /** By performance.now(). */
  readonly #notedAt = new Map<string, number>()
  #noting: Promise<void> = Promise.resolve()

  constructor(db: Db, log: Logger) {
    this.#db = db
    this.#log = log
  }

  /** Records that these organizations read now, unless that was recorded recently. */
  note(organizationIds: Iterable<string>): void {
    const now = performance.now()
    const due = [...organizationIds].filter((id) => now - (this.#notedAt.get(id) ?? -everyMs) >= everyMs)
    if (due.length === 0) return
    for (const id of due) this.#notedAt.set(id, now)
    this.#noting = this.#noting.then(() => this.#save(due))
  }

  async #save(organizationIds: readonly string[]): Promise<void> {
    try {
      await query(this.#db)`
        insert into event_readers (organization_id, read_at)
        select id, now() from organizations where id = any(${organizationIds}::uuid[])
        on conflict (organization_id) do update set read_at = excluded.read_at`
    } catch (err) {
      for (const id of organizationIds) this.#notedAt.delete(id)
      this.#log.warn({ err }, 'readers of the event log could not be stored')
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#noting
  }
}
