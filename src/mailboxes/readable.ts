import type { Db } from '#/db/schema.ts'
import { invalid, notFound } from '#/errors.ts'
import { canonicalAddress } from '#/mime/address.ts'
import type { MailboxRef } from '#/ports/mail-host.ts'
import { mailboxNamed } from './queries.ts'

/** The mailbox that a request names and whose mail it wants to read or change. Refuses one that is Private: the server
 *  holds no key for what is in it (document, section 1). */
export async function readableMailbox(db: Db, organizationId: string, address: string): Promise<MailboxRef> {
  const canonical = canonicalAddress(address)
  const mailbox = canonical === undefined ? undefined : await mailboxNamed(db, organizationId, canonical)
  if (!mailbox) throw notFound('mailbox')
  if (mailbox.kind === 'private') {
    throw invalid('mailbox', `${mailbox.address} is a Private mailbox: the server holds no key to read its mail with`)
  }
  return { organizationId, mailboxId: mailbox.id }
}
