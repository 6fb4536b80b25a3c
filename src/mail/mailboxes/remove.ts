import type { Actor } from '#/base/audit/actor.ts'
import { record } from '#/base/audit/record.ts'
import type { Db } from '#/base/db/schema.ts'
import { notFound } from '#/base/errors.ts'
import { emptyMailbox } from '#/mail/store/empty.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import { suspendMailbox } from './change.ts'
import { recordedMailbox, requiredAliases } from './mailbox.ts'
import { deleteMailbox, handAliasesOn, lockDomainOf } from './operator-queries.ts'
import { mailboxById } from './queries.ts'

export interface RemovalDependencies {
  readonly db: Db
}

/**
 * Deletes a mailbox with its addresses and mail, and frees the storage. It is suspended first and emptied step by step;
 * `onProgress` receives the number of deleted messages. An interrupted deletion leaves a suspended mailbox, and can be repeated.
 * The oldest remaining mailbox of the domain gets postmaster@ and abuse@, or else the next one that is created.
 * @throws Refusal `not_found` if it does not exist, or was just deleted
 */
export async function removeMailbox(
  { db }: RemovalDependencies,
  mailbox: MailboxRef,
  by: Actor,
  onProgress: (gone: number) => void,
): Promise<void> {
  await db.transaction().execute((tx) => suspendMailbox(tx, mailbox, true, by))
  for await (const gone of emptyMailbox(db, mailbox)) onProgress(gone)
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
