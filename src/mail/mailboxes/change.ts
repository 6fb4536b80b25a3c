import type { Actor } from '#/base/audit/actor.ts'
import { record } from '#/base/audit/record.ts'
import type { Tx } from '#/base/db/schema.ts'
import { notFound } from '#/base/errors.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import { lockMailbox, setPasswordHash, setSuspended } from './operator-queries.ts'

/** Suspends a mailbox, or ends that. @throws Refusal if there is none */
export async function suspendMailbox(tx: Tx, mailbox: MailboxRef, suspended: boolean, by: Actor): Promise<void> {
  const locked = await lockMailbox(tx, mailbox)
  if (!locked) throw notFound('mailbox')
  await setSuspended(tx, mailbox, suspended)
  await record(tx, by, {
    ...{ organizationId: mailbox.organizationId, action: suspended ? 'mailbox.suspended' : 'mailbox.resumed' },
    ...{ id: mailbox.mailboxId, name: locked.address },
    ...{ before: { suspended: locked.suspended }, after: { suspended } },
  })
}

/** @throws Refusal if there is no such mailbox */
export async function changePassword(tx: Tx, mailbox: MailboxRef, passwordHash: string, by: Actor): Promise<void> {
  const locked = await lockMailbox(tx, mailbox)
  if (!locked) throw notFound('mailbox')
  await setPasswordHash(tx, mailbox, passwordHash)
  await record(tx, by, {
    ...{ organizationId: mailbox.organizationId, action: 'mailbox.password_changed' },
    ...{ id: mailbox.mailboxId, name: locked.address, before: null, after: null },
  })
}
