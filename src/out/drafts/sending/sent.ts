import { sql } from 'kysely'
import type { Db, Tx } from '#/base/db/schema.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'

/** A sent draft, and its message in the folder. */
interface SentDraft {
  readonly mailbox: MailboxRef
  /** Of the mailbox's address. */
  readonly domain: string
  readonly key: string
  readonly uid: number
}

/** Records that a draft is sent, in the transaction that sends it, with all messages of its key. False if it was sent before. */
export async function noteSent(
  tx: Tx,
  { organizationId, mailboxId }: MailboxRef,
  { key, uids }: { readonly key: string; readonly uids: readonly number[] },
): Promise<boolean> {
  const { rows } = await sql`
    insert into sent_drafts (organization_id, mailbox_id, key, uid)
    select ${organizationId}, ${mailboxId}, ${key}, uid from unnest(${uids}::bigint[]) as uid order by uid
    on conflict do nothing returning uid`.execute(tx)
  return rows.length === uids.length
}

/** Messages of the mailbox's folder `drafts` that were sent already, as `key uid`. */
export async function sentAmong(
  db: Db,
  { organizationId, mailboxId }: MailboxRef,
  uids: readonly number[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ key: string; uid: number }>`
    select key, uid from sent_drafts
    where organization_id = ${organizationId} and mailbox_id = ${mailboxId} and uid = any (${uids}::bigint[])`.execute(
    db,
  )
  return new Set(rows.map(({ key, uid }) => `${key} ${uid}`))
}

/** Records that the messages of a sent draft are removed. */
export async function noteRemoved(db: Db, { organizationId, mailboxId }: MailboxRef, key: string): Promise<void> {
  await sql`
    with gone as (
      delete from drafts where organization_id = ${organizationId} and mailbox_id = ${mailboxId} and key = ${key}
    )
    update sent_drafts set removed = true
    where organization_id = ${organizationId} and mailbox_id = ${mailboxId} and key = ${key}`.execute(db)
}

/** Sent drafts whose messages may still exist, of all organizations. */
export async function notRemoved(db: Db): Promise<SentDraft[]> {
  const { rows } = await sql<{ organization_id: string; mailbox_id: string; key: string; uid: number; domain: string }>`
    select sent.organization_id, sent.mailbox_id, sent.key, sent.uid, domain.domain
    from sent_drafts sent
    join mailboxes mailbox on mailbox.organization_id = sent.organization_id and mailbox.id = sent.mailbox_id
    join domains domain on domain.id = mailbox.domain_id
    where not sent.removed order by sent.sent_at limit 500`.execute(db)
  return rows.map(({ organization_id: organizationId, mailbox_id: mailboxId, ...rest }) => ({
    mailbox: { organizationId, mailboxId },
    ...rest,
  }))
}

/** Forgets drafts that were sent so long ago that no request which read them before is still running. */
export async function forgetSentDrafts(db: Db): Promise<void> {
  await sql`delete from sent_drafts where removed and sent_at <= now() - interval '1 day'`.execute(db)
}
