import { sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'
import { short } from '#/base/db/short.ts'
import type { Level } from '#/http/access/caller.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'

/** A mailbox that is shared with the member whose own mailbox this is. */
export interface Shared {
  readonly id: string
  readonly address: string
  readonly level: Level
}

/** Those that are shared with the member of a mailbox, by address, or the one with this address. Never a Private one: only the key
 *  of its owner opens its mail. */
export async function sharedWith(
  db: Db,
  { organizationId, mailboxId }: MailboxRef,
  address?: string,
): Promise<Shared[]> {
  const { rows } = await sql<Shared>`
    select mailbox.id, mailbox.address, access.level
    from mailboxes own
    join mailbox_access access on access.organization_id = own.organization_id and access.member_id = own.member_id
    join mailboxes mailbox on mailbox.organization_id = access.organization_id and mailbox.id = access.mailbox_id
    where own.organization_id = ${organizationId} and own.id = ${mailboxId} and mailbox.kind = 'smart'
      and mailbox.member_id is distinct from own.member_id
      and (${address ?? null}::text is null or mailbox.address = ${address ?? null})
    order by mailbox.address`.execute(short(db))
  return rows
}
