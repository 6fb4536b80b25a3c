import { sql } from 'kysely'
import type { Db, Tx } from '#/base/db/schema.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'

/** A draft, and one of its messages. */
interface Made {
  readonly key: string
  readonly uid: number
}

/** Records that a message is a draft, in place of those that it replaces. */
export async function noteMade(
  tx: Tx,
  { organizationId, mailboxId }: MailboxRef,
  { key, uid, replaces }: Made & { readonly replaces: readonly number[] },
): Promise<void> {
  await sql`
    with replaced as (
      delete from drafts
      where organization_id = ${organizationId} and mailbox_id = ${mailboxId} and uid = any (${replaces}::bigint[])
    )
    insert into drafts (organization_id, mailbox_id, uid, key)
    values (${organizationId}, ${mailboxId}, ${uid}, ${key})
    on conflict (organization_id, mailbox_id, uid) do update set key = excluded.key`.execute(tx)
}

/** The messages of a draft, in ascending order: a process that died may have left older ones. */
export async function madeOf(db: Db, { organizationId, mailboxId }: MailboxRef, key: string): Promise<number[]> {
  const found = await db
    .selectFrom('drafts')
    .select('uid')
    .where('organization_id', '=', organizationId)
    .where('mailbox_id', '=', mailboxId)
    .where('key', '=', key)
    .orderBy('uid')
    .execute()
  return found.map(({ uid }) => uid)
}

/** The keys of those messages that are drafts of ours, by uid. */
export async function madeAmong(
  db: Db,
  { organizationId, mailboxId }: MailboxRef,
  uids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const { rows } = await sql<Made>`
    select uid, key from drafts
    where organization_id = ${organizationId} and mailbox_id = ${mailboxId} and uid = any (${uids}::bigint[])`.execute(
    db,
  )
  return new Map(rows.map(({ uid, key }) => [uid, key]))
}

/** Forgets messages that are gone. */
export async function forgetMade(
  db: Db,
  { organizationId, mailboxId }: MailboxRef,
  uids: readonly number[],
): Promise<void> {
  await sql`
    delete from drafts
    where organization_id = ${organizationId} and mailbox_id = ${mailboxId} and uid = any (${uids}::bigint[])`.execute(
    db,
  )
}
