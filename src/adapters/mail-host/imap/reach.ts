import type { Db } from '#/db/schema.ts'
import { mailUnavailable, notFound } from '#/errors.ts'
import { unlessFolderGone } from '#/mail/folder-names.ts'
import { assertStillHere, keptOnServer } from '#/mailboxes/mail-host-name.ts'
import type { MailboxRef } from '#/ports/mail-host.ts'
import type { FolderKey, MovedMessages, Moving } from '#/ports/recording.ts'
import type { ImapServer } from '#/ports/servers.ts'
import { type Access, type Account, findAccount, type InFolder } from './access.ts'
import { foundMoved, stillThere } from './changing/moving.ts'
import { ImapConnection } from './client/connection.ts'
import type { ImapSession } from './client/session.ts'
import { longestWait } from './client/session-pool.ts'
import type { Layout } from './folders/layout.ts'
import type { Spool } from './spool/spool.ts'

interface Parts {
  readonly db: Db
  readonly access: Access
  readonly spool: Spool
}

/** Work in mailboxes on the server. Delivers mail in the spool first, so that an accepted message is there for each reader. */
export class Reach {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async inFolder<T>(mailbox: MailboxRef, name: string, work: InFolder<T>): Promise<T> {
    const until = waitingEnds()
    return this.#parts.access.inFolder(await this.#account(mailbox, until), name, work, until)
  }

  /** While no other work in this process changes the mailbox. */
  async exclusively<T>(mailbox: MailboxRef, name: string, work: InFolder<T>): Promise<T> {
    const { access } = this.#parts
    const until = waitingEnds()
    const account = await this.#account(mailbox, until)
    return access.exclusively(mailbox, () => access.inFolder(account, name, work, until), until)
  }

  /** The same, for work on the folders themselves. */
  async inFolders<T>(mailbox: MailboxRef, work: (session: ImapSession, layout: Layout) => Promise<T>): Promise<T> {
    const { access } = this.#parts
    const until = waitingEnds()
    const account = await this.#account(mailbox, until)
    return access.exclusively(mailbox, () => access.inMailbox(account, work, until), until)
  }

  /** The folder's current name, as far as its name shows. */
  async folderNow(mailbox: MailboxRef, { name, key }: FolderKey): Promise<string | undefined> {
    const looked = this.inFolder(mailbox, name, async (_, { selectedAt }) => {
      return selectedAt.uidValidity === key ? name : undefined
    })
    return await looked.catch(unlessFolderGone)
  }

  /** Of messages that were to be moved, the places of those that have left their folder. */
  async findMoved(mailbox: MailboxRef, from: FolderKey, moving: Moving): Promise<MovedMessages> {
    const none: MovedMessages = { key: 0, uids: new Map() }
    const uids = moving.marks.map(([uid]) => uid)
    const left = await this.inFolder(mailbox, from.name, async (session, { selectedAt }) => {
      return selectedAt.uidValidity === from.key ? await stillThere(session, uids) : []
    }).catch(unlessFolderGone)
    const gone = moving.marks.filter(([uid]) => !left?.includes(uid))
    if (gone.length === 0) return none
    const found = await this.inFolder(mailbox, moving.to, (session, folder) =>
      foundMoved(session, folder, { ...moving, marks: gone }),
    ).catch(unlessFolderGone)
    return found ?? none
  }

  /** The folders; none for a mailbox that does not exist. */
  async statuses(mailbox: MailboxRef): ReturnType<Layout['statuses']> {
    const until = waitingEnds()
    const account = await this.found(mailbox, until)
    if (!account) return []
    return this.#parts.access.inMailbox(account, (session, layout) => layout.statuses(session), until)
  }

  /** The mailbox's account, after its mail in the spool was delivered; no longer than `until`, by performance.now(). */
  readonly found = async (mailbox: MailboxRef, until: number): Promise<Account | undefined> => {
    const account = await findAccount(this.#parts.db, mailbox)
    if (account?.waiting) await this.#parts.spool.deliver(account, until)
    return account
  }

  async #account(mailbox: MailboxRef, until: number): Promise<Account> {
    const account = await this.found(mailbox, until)
    if (!account) throw notFound('mailbox')
    return account
  }
}

/** When a request that begins now has waited long enough, by performance.now(). */
function waitingEnds(): number {
  return performance.now() + longestWait
}

/** Resolves when the server answers. */
export async function ping(db: Db, server: ImapServer): Promise<void> {
  await assertStillHere(db, keptOnServer)
  const connection = await ImapConnection.open(server).catch((error) => {
    throw mailUnavailable(error)
  })
  connection.close()
}
