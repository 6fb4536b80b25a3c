import type { Actor } from '#/audit/actor.ts'
import { record } from '#/audit/record.ts'
import type { Db } from '#/db/schema.ts'
import { notFound, Refusal } from '#/errors.ts'
import type { MailboxRef, MailHost } from '#/ports/mail-host.ts'
import type { MailServerControl } from '#/ports/mail-server-control.ts'
import { suspendMailbox } from './change.ts'
import { assertNotMoving } from './mail-host-name.ts'
import { recordedMailbox, requiredAliases } from './mailbox.ts'
import { deleteMailbox, handAliasesOn, lockDomainOf } from './operator-queries.ts'
import { mailboxById } from './queries.ts'

export interface RemovalParts {
  readonly db: Db
  readonly mailHost: MailHost
  /** Undefined if the mail host takes no commands. */
  readonly serverControl?: MailServerControl | undefined
}

/**
 * Deletes a mailbox with its addresses and mail, and frees the storage. It is suspended first and emptied step by step;
 * `onProgress` receives the number of deleted messages. An interrupted deletion leaves a suspended mailbox, and can be repeated.
 * The oldest remaining mailbox of the domain gets postmaster@ and abuse@, or else the next one that is created.
 * @throws Refusal `not_found` if it does not exist, or was just deleted; `invalid_request` during `mail move`, since some of
 *   its mail would stay
 */
export async function removeMailbox(
  { db, mailHost, serverControl }: RemovalParts,
  mailbox: MailboxRef,
  by: Actor,
  onProgress: (gone: number) => void,
): Promise<void> {
  await assertNotMoving(db)
  await db.transaction().execute((tx) => suspendMailbox(tx, mailbox, true, by))
  await serverControl?.kick([mailbox.mailboxId])
  await emptied(mailHost, mailbox, onProgress)
  await mailHost.remove(mailbox)
  // Sessions that have begun since.
  await serverControl?.kick([mailbox.mailboxId])
  await serverControl?.purge(mailbox.mailboxId)
  await db.transaction().execute(async (tx) => {
    const domain = await lockDomainOf(tx, mailbox)
    const before = await mailboxById(tx, mailbox.organizationId, mailbox.mailboxId)
    if (!domain || !before) throw notFound('mailbox')
    const required = requiredAliases.map((name) => `${name}@${domain.domain}`)
    await handAliasesOn(tx, mailbox, domain.id, required)
    await deleteMailbox(tx, mailbox)
    await record(tx, by, {
      ...{ organizationId: mailbox.organizationId, action: 'mailbox.deleted', id: mailbox.mailboxId },
      ...{ name: before.address, before: recordedMailbox(before), after: null },
    })
  })
}

/** Tries twice: kicking sessions may have ended our own connection. */
async function emptied(mailHost: MailHost, mailbox: MailboxRef, onProgress: (gone: number) => void): Promise<void> {
  let gone = 0
  const empty = async (before: number) => {
    for await (const more of mailHost.empty(mailbox)) {
      gone = before + more
      onProgress(gone)
    }
  }
  await empty(0).catch((error) => {
    if (!(error instanceof Refusal && error.code === 'mail_unavailable')) throw error
    return empty(gone)
  })
}
