import { randomUUID } from 'node:crypto'
import { byOperator } from '#/base/audit/actor.ts'
import type { Db } from '#/base/db/schema.ts'
import type { By } from '#/base/event-log/append.ts'
import { idHashKey } from '#/formats/mime/id-hash.ts'
import { createMailbox } from '#/mail/mailboxes/create.ts'
import { appendCopies } from '#/mail/store/append-copies.ts'
import type { Copy } from '#/mail/store/copy-to-append.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import { createOrganization } from '#/people/organizations/register.ts'
import { keyring } from '#test/world/installation.ts'

export interface OwnDomain {
  readonly organizationId: string
  readonly domain: string
}

/** A verified domain of an organization of its own. */
export async function newDomain(db: Db): Promise<OwnDomain> {
  const name = `org-${randomUUID()}`
  const { id: organizationId } = await createOrganization(db, { name, plan: 'business' }, byOperator)
  const domain = `${name}.test`
  await db.insertInto('domains').values({ organization_id: organizationId, domain, status: 'verified' }).execute()
  return { organizationId, domain }
}

/** A new mailbox of the domain, or of a domain of its own. */
export async function newMailbox(db: Db, localPart: string, own?: OwnDomain): Promise<MailboxRef> {
  const { organizationId, domain } = own ?? (await newDomain(db))
  const wanted = { organizationId, domain, localPart }
  const { id } = await db.transaction().execute((tx) => createMailbox(tx, wanted, byOperator))
  return { organizationId, mailboxId: id }
}

export const idKey = idHashKey(keyring)

/** Stores copies in a transaction of their own. */
export function storeCopies(db: Db, copies: readonly Copy[], by?: By): Promise<void> {
  return db.transaction().execute((tx) => appendCopies(tx, idKey, copies, by))
}
