import { randomUUID } from 'node:crypto'
import { byOperator } from '#/audit/actor.ts'
import type { Db } from '#/db/schema.ts'
import { createMailbox } from '#/mailboxes/create.ts'
import { createOrganization } from '#/organizations/register.ts'
import type { MailboxRef, MailHost } from '#/ports/mail-host.ts'
import type { Mailboxes } from './bench.ts'

export interface OwnDomain {
  readonly organizationId: string
  readonly domain: string
}

export async function newMailboxes(db: Db, host: MailHost): Promise<Mailboxes> {
  const [first, second] = [await newDomain(db), await newDomain(db)]
  return {
    ada: await newMailbox(db, host, first, 'ada'),
    bob: await newMailbox(db, host, first, 'bob'),
    stranger: await newMailbox(db, host, second, 'ada'),
  }
}

/** A verified domain of an organization of its own. */
export async function newDomain(db: Db): Promise<OwnDomain> {
  const name = `org-${randomUUID()}`
  const { id: organizationId } = await createOrganization(db, { name, plan: 'business' }, byOperator)
  const domain = `${name}.test`
  await db.insertInto('domains').values({ organization_id: organizationId, domain, status: 'verified' }).execute()
  return { organizationId, domain }
}

export async function newMailbox(
  db: Db,
  host: Pick<MailHost, 'open'>,
  { organizationId, domain }: OwnDomain,
  localPart: string,
): Promise<MailboxRef> {
  const { id } = await db
    .transaction()
    .execute((tx) => createMailbox(tx, host, { organizationId, domain, localPart }, byOperator))
  return { organizationId, mailboxId: id }
}
