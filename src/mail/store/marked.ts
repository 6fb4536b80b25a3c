import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'
import type { MailboxRef } from './mailbox-ref.ts'
import { integers, packed } from './packed.ts'

export type Mark = 'flagged' | { readonly keyword: string }

/** The uids of the messages with a mark, by folder, in these folders. There is an index for each mark. */
export async function markedUids(
  db: Db,
  { organizationId, mailboxId }: MailboxRef,
  folders: readonly string[],
  mark: Mark,
): Promise<Map<string, readonly number[]>> {
  const { rows } = await sql<{ name: string; uids: string | null }>`
    select folder.name, found.uids from mail_folders folder, lateral (
      select ${packed(sql`int4send(uid::integer)`)} as uids from ${bearing(mark)}
    ) found
    where folder.organization_id = ${organizationId} and folder.mailbox_id = ${mailboxId}
      and folder.name = any(${folders}::text[])`.execute(db)
  return new Map(rows.map(({ name, uids }) => [name, [...integers(uids)]]))
}

function bearing(mark: Mark): RawBuilder<unknown> {
  if (mark === 'flagged') return sql`mail_messages where folder_id = folder.id and flagged`
  return sql`mail_keywords where folder_id = folder.id and keyword = ${mark.keyword.toLowerCase()}`
}
