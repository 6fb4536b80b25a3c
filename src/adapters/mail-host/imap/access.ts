import QuickLRU from 'quick-lru'
import type { ImapServer } from '#/config/imap-url.ts'
import type { Db } from '#/db/schema.ts'
import { invalid, mailUnavailable } from '#/errors.ts'
import { keptOnServer, movedAway } from '#/mailboxes/home.ts'
import type { MailboxRef } from '#/ports/mail-host.ts'
import { Layout } from './layout.ts'
import type { SelectedFolder } from './selected-folder.ts'
import type { Session } from './session.ts'
import { SessionPool } from './session-pool.ts'

/** Mailboxes whose layouts are remembered. */
const mostRemembered = 10_000

/** A mailbox as its server knows it. */
export interface Account {
  readonly mailbox: MailboxRef
  /** The mailbox's id: an address may be another mailbox's once its domain has changed hands. */
  readonly login: string
  /** Mail for it is in the spool. */
  readonly waiting: boolean
}

/** Undefined where the organization has no such mailbox.
 *  @throws Refusal `mail_unavailable` where mail has moved away from the server */
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

/** The way to mailboxes on the server. */
export class Access implements AsyncDisposable {
  readonly #pool: SessionPool
  readonly #layouts = new QuickLRU<string, Layout>({ maxSize: mostRemembered })
  readonly #turns = new Map<string, Promise<unknown>>()

  constructor(server: ImapServer) {
    this.#pool = new SessionPool(server)
  }

  /** Works in a mailbox, whatever folder is selected. */
  inMailbox<T>({ login }: Account, work: (session: Session, layout: Layout) => Promise<T>, until?: number): Promise<T> {
    const look = async (session: Session) => {
      const layout = await this.#layout(session)
      // Not every command of the work would be safe to give twice, so what is gone must show before.
      await session.connection.run(['NOOP'])
      return layout
    }
    return this.#pool.use(login, undefined, look, work, until)
  }

  /** Works in a folder that is selected and was looked at just now. Refuses one that is not there. */
  inFolder<T>(
    { login }: Account,
    name: string,
    work: (session: Session, folder: SelectedFolder, layout: Layout) => Promise<T>,
    until?: number,
  ): Promise<T> {
    const look = async (session: Session) => {
      for (const known of [this.#layouts.has(login), false]) {
        const layout = await this.#layout(session)
        const folder = await session.select(layout.pathOf(name))
        if (folder) return { folder, layout }
        // It may have been given another name on the server since the layout was read.
        if (known) this.#layouts.delete(login)
        else break
      }
      throw noSuchFolder(name)
    }
    const path = this.#layouts.get(login)?.pathOf(name)
    return this.#pool.use(login, path, look, (session, { folder, layout }) => work(session, folder, layout), until)
  }

  /** One after another in a mailbox: two who move one message at once would leave it there twice. Refuses who would have
   *  their turn after that time, by performance.now(). */
  async inTurn<T>(mailbox: MailboxRef, work: () => Promise<T>, until = Number.POSITIVE_INFINITY): Promise<T> {
    const before = this.#turns.get(mailbox.mailboxId) ?? Promise.resolve()
    const turn = Promise.withResolvers<void>()
    const left = until - performance.now()
    const timer =
      left < Number.POSITIVE_INFINITY ? setTimeout(() => turn.reject(tooManyChanges()), Math.max(0, left)) : undefined
    const begin = () => {
      clearTimeout(timer)
      turn.resolve()
      return turn.promise.then(work)
    }
    const mine = before.then(begin, begin)
    this.#turns.set(mailbox.mailboxId, mine)
    const forget = () => {
      if (this.#turns.get(mailbox.mailboxId) === mine) this.#turns.delete(mailbox.mailboxId)
    }
    mine.then(forget, forget)
    await turn.promise
    return mine
  }

  async #layout(session: Session): Promise<Layout> {
    const layout = this.#layouts.get(session.login) ?? (await Layout.read(session))
    this.#layouts.set(session.login, layout)
    return layout
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#pool[Symbol.asyncDispose]()
  }
}

export function noSuchFolder(name: string): Error {
  return invalid('folder', `No folder ${JSON.stringify(name)} in this mailbox`)
}

function tooManyChanges(): Error {
  return mailUnavailable(new Error('Changes to the mailbox that were made before take too long'))
}
