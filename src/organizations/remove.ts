import { sql } from 'kysely'
import type { Db } from '#/db/schema.ts'
import { knownMailboxes } from '#/mailboxes/operator-queries.ts'
import { type RemovalParts, removeMailbox } from '#/mailboxes/remove.ts'
import { setOrganizationSuspended } from './queries.ts'

/** What an organization has that goes with it. */
export interface Belongings {
  readonly domains: number
  readonly mailboxes: number
  /** Messages that wait to leave, or are scheduled. */
  readonly waiting: number
}

export async function belongingsOf(db: Db, organizationId: string): Promise<Belongings> {
  const { rows } = await sql<Belongings>`
    select domains, mailboxes,
      (select count(*) from outbound_messages where organization_id = ${organizationId})::integer
        + (select count(*) from scheduled_messages where organization_id = ${organizationId} and not queued)::integer as waiting
    from organization_usage where organization_id = ${organizationId}`.execute(db)
  return rows[0] ?? { domains: 0, mailboxes: 0, waiting: 0 }
}

/** How many rows of the queue go in a statement. */
const mostAtATime = 1_000

/**
 * Removes an organization with everything that is its own: mailboxes with their mail, wherever that is kept, what waits to
 * leave, domains, keys, members and rules. It is suspended first, so that nothing comes any more; `tell` hears how far it
 * is. Broken off, it leaves a suspended organization with what is left; begun again, it goes on.
 */
export async function removeOrganization(
  { db, mailHost, serverControl }: RemovalParts,
  organizationId: string,
  tell: (progress: string) => void,
): Promise<{ mailboxes: number; messages: number }> {
  await setOrganizationSuspended(db, organizationId, true)
  for (const table of ['outbound_messages', 'scheduled_messages'] as const) {
    for (let gone = 0, some = 1; some > 0; gone += some) {
      some = await deleteSome(db, table, organizationId)
      tell(`Deleted ${counted(gone + some)} messages that waited`)
    }
  }
  let messages = 0
  const mailboxes = await knownMailboxes(db, { organizationId })
  for (const [at, { id: mailboxId, address }] of mailboxes.entries()) {
    let deleted = 0
    await removeMailbox({ db, mailHost, serverControl }, { organizationId, mailboxId }, (gone) => {
      deleted = gone
      tell(
        `Deleted ${counted(at)} of ${counted(mailboxes.length)} mailboxes, and ${counted(gone)} messages in ${address}`,
      )
    })
    messages += deleted
  }
  await db.transaction().execute(async (tx) => {
    // A message that was in hand as the others went may have come back into the queue.
    await tx.deleteFrom('outbound_messages').where('organization_id', '=', organizationId).execute()
    await tx.deleteFrom('organizations').where('id', '=', organizationId).execute()
  })
  return { mailboxes: mailboxes.length, messages }
}

async function deleteSome(
  db: Db,
  table: 'outbound_messages' | 'scheduled_messages',
  organizationId: string,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from ${sql.table(table)} where id in (
      select id from ${sql.table(table)} where organization_id = ${organizationId} limit ${mostAtATime}
    )`.execute(db)
  return Number(numAffectedRows)
}

function counted(count: number): string {
  return count.toLocaleString('en')
}
