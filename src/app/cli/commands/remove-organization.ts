import { sql } from 'kysely'
import type { Actor } from '#/base/audit/actor.ts'
import { record } from '#/base/audit/record.ts'
import type { Db } from '#/base/db/schema.ts'
import { knownMailboxes } from '#/mail/mailboxes/operator-queries.ts'
import { type RemovalDependencies, removeMailbox } from '#/mail/mailboxes/remove.ts'
import { discard } from '#/out/queue/waiting.ts'
import type { Organization } from '#/people/organizations/organization.ts'
import { deleteOrganization } from '#/people/organizations/queries.ts'
import { suspendOrganization } from '#/people/organizations/register.ts'
import { grouped } from '../table.ts'

/** What is deleted with an organization. */
export interface Belongings {
  readonly domains: number
  readonly mailboxes: number
  /** Messages that wait to leave, or are scheduled. */
  readonly waiting: number
}

export async function belongingsOf(db: Db, organizationId: string): Promise<Belongings> {
  const { rows } = await sql<Belongings>`
    select domains, mailboxes,
      (select count(*) from outbound_messages where organization_id = ${organizationId})::integer as waiting
    from organization_usage where organization_id = ${organizationId}`.execute(db)
  return rows[0] ?? { domains: 0, mailboxes: 0, waiting: 0 }
}

/**
 * Deletes an organization with its mailboxes, mail, queued messages, domains, keys, members, rules and audit trail. It is
 * suspended first.
 * `onProgress` receives progress. An interrupted deletion leaves a suspended organization, and can be repeated.
 */
export async function removeOrganization(
  { db }: RemovalDependencies,
  { id: organizationId, plan }: Organization,
  by: Actor,
  onProgress: (progress: string) => void,
): Promise<{ mailboxes: number; messages: number }> {
  await suspendOrganization(db, organizationId, true, by)
  for (let gone = 0, some = 1; some > 0; gone += some) {
    some = await discard(db, organizationId)
    onProgress(`Deleted ${grouped(gone + some)} messages from the outbound queue`)
  }
  let messages = 0
  const mailboxes = await knownMailboxes(db, { organizationId })
  for (const [at, { id: mailboxId, address }] of mailboxes.entries()) {
    let deleted = 0
    await removeMailbox({ db }, { organizationId, mailboxId }, by, (gone) => {
      deleted = gone
      onProgress(
        `Deleted ${grouped(at)} of ${grouped(mailboxes.length)} mailboxes, and ${grouped(gone)} messages in ${address}`,
      )
    })
    messages += deleted
  }
  await db.transaction().execute(async (tx) => {
    // An attempt that was under way may have put its message back into the queue.
    while ((await discard(tx, organizationId)) > 0);
    await deleteOrganization(tx, organizationId)
    // Its own entries have gone with it, and nothing names it any more.
    const before = { plan, mailboxes: mailboxes.length }
    await record(tx, by, { organizationId: null, action: 'organization.deleted', name: '', before, after: null })
  })
  return { mailboxes: mailboxes.length, messages }
}
