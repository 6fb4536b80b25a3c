import type { Db } from '#/db/schema.ts'
import { notFound } from '#/errors.ts'
import type { MailboxRef, MailHost } from '#/ports/mail-host.ts'
import { assertNotMoving } from './home.ts'
import { requiredAliases } from './mailbox.ts'
import { deleteMailbox, handAliasesOn, lockDomainOf, setSuspended } from './operator-queries.ts'

/**
 * Removes a mailbox with its addresses and all its mail, and gives back the storage. It is suspended first, so that no
 * more comes in, and emptied step by step; `tell` hears how many messages have gone. Broken off, it leaves a suspended
 * mailbox with what mail is left; begun again, it goes on. The oldest mailbox that its domain has left takes over
 * postmaster@ and abuse@; where none is left, the next one made gets them (`createMailbox`).
 * @throws Refusal `not_found` where it is not there, be it that another has just removed it; `invalid_request` while all
 *   mail is carried to another host: some of the mailbox's would stay behind
 */
export async function removeMailbox(
  { db, mailHost }: { db: Db; mailHost: MailHost },
  mailbox: MailboxRef,
  tell: (gone: number) => void,
): Promise<void> {
  await assertNotMoving(db)
  if (!(await setSuspended(db, mailbox, true))) throw notFound('mailbox')
  for await (const gone of mailHost.empty(mailbox)) tell(gone)
  await db.transaction().execute(async (tx) => {
    const domain = await lockDomainOf(tx, mailbox)
    if (!domain) throw notFound('mailbox')
    const required = requiredAliases.map((name) => `${name}@${domain.domain}`)
    await handAliasesOn(tx, mailbox, domain.id, required)
    await deleteMailbox(tx, mailbox)
  })
}
