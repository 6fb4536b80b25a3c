import QuickLRU from 'quick-lru'
import type { Db } from '#/db/schema.ts'
import { mailUnavailable } from '#/errors.ts'
import { noSuchFolder } from '#/mail/folder-names.ts'
import { keptOnServer, movedAway } from '#/mailboxes/mail-host-name.ts'
import type { MailboxRef } from '#/ports/mail-host.ts'
import type { ImapServer } from '#/ports/servers.ts'
import type { ImapSession } from './client/session.ts'
import { SessionPool } from './client/session-pool.ts'
import { Layout } from './folders/layout.ts'
import type { SelectedFolder } from './folders/selected-folder.ts'

/** Mailboxes whose layouts are cached. */
const mostRemembered = 10_000

/** A mailbox on its server. */
export interface Account {
  readonly mailbox: MailboxRef
  /** The mailbox's id. An address would not do: it may belong to another mailbox once its domain has changed hands. */
  readonly login: string
  /** Mail for it is in the spool. */
  readonly waiting: boolean
}

/** Undefined if the organization has no such mailbox. @throws Refusal `mail_unavailable` if mail has been moved away from
 *  the server */
export async function findAccount(db: Db, mailbox: MailboxRef): Promise<Account | undefined> {
  const row = await db
    .selectFrom('mailboxes')
    .select((of) =>
      of
        .exists(of.selectFrom('mail_spool').select('id').whereRef('mail_spool.mailbox_id', '=', 'mailboxes.id'))
        .as('waiting'),
    )
    .select(keptOnServer.as('kept'))
    .where('id', '=', mailbox.mailboxId)
    .where('organization_id', '=', mailbox.organizationId)
    .executeTakeFirst()
  if (row && !row.kept) throw movedAway()
  return row && { mailbox, login: mailbox.mailboxId, waiting: Boolean(row.waiting) }
}

/** Work in a selected folder. */
export type InFolder<T> = (session: ImapSession, folder: SelectedFolder, layout: Layout) => Promise<T>

interface Looked {
  readonly folder: SelectedFolder
  readonly layout: Layout
}

/** Sessions of mailboxes on the server. */
export class Access implements AsyncDisposable {
  readonly #pool: SessionPool
  readonly #layouts = new QuickLRU<string, Layout>({ maxSize: mostRemembered })
  /** By mailbox, the exclusive work that began last. */
  readonly #last = new Map<string, Promise<unknown>>()

  /** `mostConnections` replaces the pool's limit. */
  constructor(server: ImapServer, mostConnections?: number) {
    this.#pool = new SessionPool(server, mostConnections)
  }

  /** Works in a mailbox, with any folder selected. */
  inMailbox<T>(
    { login }: Account,
    work: (session: ImapSession, layout: Layout) => Promise<T>,
    until?: number,
  ): Promise<T> {
    const look = async (session: ImapSession) => {
      const layout = await this.#layout(session)
      // Not all commands can safely be repeated, so a dead connection must be found out first.
      await session.connection.run(['NOOP'])
      return layout
    }
    const use = (session: ImapSession, layout: Layout) =>
      work(session, layout).finally(() => unselectDeletable(session, layout))
    return this.#pool.use(login, undefined, look, use, until)
  }

  /** Works in a folder that was selected and checked just now. Refuses a missing one. */
  inFolder<T>({ login }: Account, name: string, work: InFolder<T>, until?: number): Promise<T> {
    const look = async (session: ImapSession) => {
      for (const known of [this.#layouts.has(login), false]) {
        const layout = await this.#layout(session)
        const folder = await session.select(await layout.pathOf(session, name))
        if (folder) return { folder, layout }
        // The folder may have been renamed on the server since the layout was read.
        if (known) this.#layouts.delete(login)
        else break
      }
      throw noSuchFolder(name)
    }
    const path = this.#layouts.get(login)?.knownPathOf(name)
    const use = (session: ImapSession, { folder, layout }: Looked) =>
      work(session, folder, layout).finally(() => unselectDeletable(session, layout))
    return this.#pool.use(login, path, look, use, until)
  }

  /** Runs work in a mailbox one after the other: two concurrent moves of one message would leave it in both folders. Refuses
   *  work that would begin after `until`, by performance.now(). */
  async exclusively<T>({ mailboxId }: MailboxRef, work: () => Promise<T>, until?: number): Promise<T> {
    const before = this.#last.get(mailboxId) ?? Promise.resolve()
    const started = Promise.withResolvers<void>()
    const refuse = () => started.reject(tooManyChanges())
    const timer = until === undefined ? undefined : setTimeout(refuse, until - performance.now())
    const begin = () => {
      clearTimeout(timer)
      started.resolve()
      return started.promise.then(work)
    }
    const ended = before.then(begin, begin)
    this.#last.set(mailboxId, ended)
    const forget = () => {
      if (this.#last.get(mailboxId) === ended) this.#last.delete(mailboxId)
    }
    ended.then(forget, forget)
    await started.promise
    return ended
  }

  async #layout(session: ImapSession): Promise<Layout> {
    const layout = this.#layouts.get(session.login) ?? (await Layout.read(session))
    this.#layouts.set(session.login, layout)
    return layout
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#pool[Symbol.asyncDispose]()
  }
}

/** Unselects a folder that can be deleted as soon as it is no longer used. If it is deleted and created again, Dovecot
 *  mistakes the index of the new folder for the old one, finds it damaged and drops its contents. It does so as soon as a
 *  session that has the old folder selected gives any command but one that selects another folder or none. */
function unselectDeletable(session: ImapSession, layout: Layout): void {
  const { selected } = session
  if (selected && !layout.isStandard(selected.path)) session.unselect().catch(() => session.connection.close())
}

function tooManyChanges(): Error {
  return mailUnavailable(new Error('Changes to the mailbox that were made before take too long'))
}
