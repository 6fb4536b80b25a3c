import { sql } from 'kysely'
import type { Tx } from '#/base/db/schema.ts'
import type { FolderKey } from '#/mail/store/folders.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import { beginChange, type Recorded } from './record.ts'

// Changes whose work the runner of changes does. If somebody asks again for a change that still runs, because no answer came, they
// get that one: a second change would record only what the first has left.

/** Begins to remove a keyword from all messages of the mailboxes, or to replace it. */
export async function beginReplacing(
  tx: Tx,
  change: Omit<Recorded, 'kind'>,
  { keyword, by: other }: { readonly keyword: string; readonly by: string | null },
): Promise<string> {
  const whole = { ...change, kind: other === null ? 'label_removed' : 'labels_merged' } as const
  const running = await runningLike(tx, whole, { remove_keyword: keyword, add_keyword: other })
  if (running !== undefined) return running
  const id = await beginChange(tx, whole)
  await sql`update changes set remove_keyword = ${keyword}, add_keyword = ${other} where id = ${id}`.execute(tx)
  return id
}

/** Begins to delete a folder whose mail moves to another. */
export async function beginDeleting(
  tx: Tx,
  { organizationId, mailboxId }: MailboxRef,
  { name: folder, key }: FolderKey,
  { moveTo, by }: { readonly moveTo: string } & Pick<Recorded, 'by'>,
): Promise<string> {
  const whole = { organizationId, mailboxes: [mailboxId], kind: 'folder_deleted', by } as const
  const running = await runningLike(tx, whole, { folder, folder_key: key, move_to: moveTo })
  if (running !== undefined) return running
  const id = await beginChange(tx, whole)
  await sql`
    update changes set folder = ${folder}, folder_key = ${key}::bigint, move_to = ${moveTo} where id = ${id}`.execute(
    tx,
  )
  return id
}

/** A running change by the same actor, of the same mailboxes and with the same work. */
async function runningLike(
  tx: Tx,
  { organizationId, mailboxes, kind, by }: Recorded,
  work: Readonly<Record<string, string | number | null>>,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from changes
    where state = 'running' and organization_id = ${organizationId} and kind = ${kind}
      and mailboxes @> ${[...mailboxes]}::uuid[] and actor_kind = ${by.kind} and actor_id is not distinct from ${by.id}::uuid
      and to_jsonb(changes) @> ${JSON.stringify(work)}::jsonb
    order by at limit 1`.execute(tx)
  const [running] = rows
  return running?.id
}
