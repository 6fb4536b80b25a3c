import { byOperator } from '#/base/audit/actor.ts'
import type { Db } from '#/base/db/schema.ts'
import { organizationItself } from '#/base/ownership/owner.ts'
import { addLabel } from '#/mail/labels/catalogue.ts'
import { createMailbox } from '#/mail/mailboxes/create.ts'
import { createOrganization } from '#/people/organizations/register.ts'
import { addFilter } from '#/rules/filters/changes.ts'
import type { DatabaseHome } from '#test/world/database/database.ts'
import { storeKey } from './stored-key.ts'
import { insertVerifiedDomain } from './verified-domain.ts'

/** An organization in a database that outlives services. */
export interface StoredOrganization {
  readonly organizationId: string
  /** May do everything. */
  readonly key: string
  readonly addresses: readonly string[]
}

interface Wish {
  readonly domain: string
  readonly mailboxes: readonly string[]
}

/** Adds an organization while no service runs. */
export async function storeOrganization(home: DatabaseHome, wish: Wish): Promise<StoredOrganization> {
  await using database = await home.open()
  return await insertOrganization(database.db, wish)
}

/** Makes an organization with a domain of its own, mailboxes and a key. Mail whose subject holds `urgent` is labelled and
 *  starred there, mail whose subject holds `elsewhere` lies in the folder `Elsewhere`. */
export async function insertOrganization(db: Db, { domain, mailboxes }: Wish): Promise<StoredOrganization> {
  const { id: organizationId } = await createOrganization(db, { name: domain, plan: 'self_hosted' }, byOperator)
  const owner = organizationItself(organizationId)
  await db.transaction().execute(async (tx) => {
    await insertVerifiedDomain(tx, organizationId, domain)
    for (const localPart of mailboxes) await createMailbox(tx, { organizationId, domain, localPart }, byOperator)
    await addLabel(tx, owner, { name: 'Urgent', colour: 'red' }, byOperator)
    for (const [value, action, argument] of [
      ['urgent', 'label', 'urgent'],
      ['urgent', 'star', null],
      ['elsewhere', 'move', 'Elsewhere'],
    ] as const)
      await addFilter(
        tx,
        owner,
        { name: value, field: 'subject', op: 'contains', value, action, argument, enabled: true },
        byOperator,
      )
  })
  const key = await storeKey(db, organizationId)
  return { organizationId, key, addresses: mailboxes.map((name) => `${name}@${domain}`) }
}
