import { sql } from 'kysely'
import { databaseNow, type Lease, Leases } from '#/db/leases.ts'
import { query } from '#/db/query.ts'
import type { Db, Tx } from '#/db/schema.ts'
import { keptOnServer } from '#/mailboxes/mail-host-name.ts'
import type { FolderLook, Remembered } from './look.ts'

/** The lease to look at a mailbox. */
export interface Watch extends Lease<string> {
  readonly organizationId: string
  /** Null before the first look. */
  readonly lookedAt: Date | null
  /** Own changes recorded since then may be later than the look. */
  readonly since: Date
}

/** A change by Mailroom itself. */
export interface Noted {
  readonly folder: string
  readonly uid: number
  readonly became: string | null
  readonly before: string | null
  readonly modseq: number | null
  readonly fromFolder: string | null
  readonly fromUid: number | null
  /** It may have been made after the look began. */
  readonly recent: boolean
}

/** Together with the pause between looks less than the minute within which changes are logged, also if a process dies. */
export const watchLeases = new Leases('imap_watches', 25_000)

/** Not while mail is being moved: that stores and removes mail, which is no change of a user. */
const isLookedAt = sql<boolean>`${keptOnServer} and not exists (select from installation where mail_moving_from is not null)`

/** Watches mailboxes of organizations that have a webhook or have read the log within an hour, and no others. */
export async function chooseWatches(db: Db): Promise<void> {
  await sql`
    with listening as (
      select organization_id from webhooks
      union select organization_id from event_readers where read_at > now() - interval '1 hour'
    ), wanted as materialized (
      select mailbox.id, mailbox.organization_id from listening
      join mailboxes mailbox on mailbox.organization_id = listening.organization_id
      where mailbox.suspended_at is null and ${isLookedAt}
    ), unwanted as (
      delete from imap_watches where id in (select id from imap_watches except select id from wanted)
    )
    insert into imap_watches (id, organization_id)
    select id, organization_id from wanted
    where not exists (select from imap_watches watch where watch.id = wanted.id)
    on conflict do nothing`.execute(db)
}

/** Claims mailboxes that are due, the longest due first. */
export async function claimWatches(db: Db, most: number): Promise<Watch[]> {
  const due = sql`due_at <= ${databaseNow}`
  return await watchLeases.claim<Watch>(db, databaseNow, {
    chosen: sql`
      select id from imap_watches where ${due} and ${watchLeases.free(databaseNow)} order by due_at limit ${most}`,
    due,
    returning: sql`organization_id as "organizationId", looked_at as "lookedAt", clock_timestamp() as since`,
  })
}

export async function rememberedFolders(db: Db, { id, organizationId }: Watch): Promise<Remembered[]> {
  return await query<Remembered>(db)`
    select name, uid_validity as "uidValidity", uid_next as "uidNext", modseq, messages from imap_folders
    where mailbox_id = ${id} and organization_id = ${organizationId}`
}

/** Locks the watch: until the commit no process records a change. False if this process may no longer look at the mailbox; then
 *  it may log nothing. */
export async function lockWatch(tx: Tx, watch: Watch): Promise<boolean> {
  if ((await watchLeases.extend(tx, [watch], databaseNow)).size === 0) return false
  const { rows } = await sql<{ wanted: boolean }>`
    select ${isLookedAt} and exists (
      select from mailboxes
      where id = ${watch.id} and organization_id = ${watch.organizationId} and suspended_at is null
    ) as wanted`.execute(tx)
  return rows[0]?.wanted === true
}

/** Ends a look, or one that failed. */
export async function endLook(
  db: Db,
  watch: Watch,
  { taken, dueInMs }: { taken: boolean; dueInMs: number },
): Promise<void> {
  const due = sql`due_at = clock_timestamp() + make_interval(secs => ${dueInMs / 1_000})`
  await watchLeases.release(db, [watch], taken ? sql`looked_at = now(), ${due}` : due)
}

export async function notedChanges(tx: Tx, { id, organizationId, since }: Watch): Promise<Noted[]> {
  return await query<Noted>(tx)`
    select folder, uid, became, before, modseq, from_folder as "fromFolder", from_uid as "fromUid",
      at >= ${since}::timestamptz as recent from imap_changes
    where mailbox_id = ${id} and organization_id = ${organizationId}
    order by imap_changes.id`
}

/** Stores the states of folders, and deletes records of own changes that they include. */
export async function rememberFolders(
  tx: Tx,
  { id, organizationId, since }: Watch,
  looks: readonly FolderLook[],
): Promise<void> {
  if (looks.length === 0) return
  const renamed = looks.flatMap(({ before, after }) => (before && before.name !== after.name ? [before.name] : []))
  if (renamed.length > 0) {
    await query(tx)`
      delete from imap_folders
      where mailbox_id = ${id} and organization_id = ${organizationId} and name = any(${renamed}::text[])`
  }
  await query(tx)`
    with looked as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(looks.map(({ after }) => after))}::jsonb) as looked
        (name text, "uidValidity" bigint, "uidNext" bigint, modseq bigint, messages bigint)
    ), forgotten as (
      delete from imap_changes using looked
      where mailbox_id = ${id} and organization_id = ${organizationId} and at < ${since}::timestamptz
        and folder = looked.name and uid < looked."uidNext"
    )
    insert into imap_folders (organization_id, mailbox_id, name, uid_validity, uid_next, modseq, messages)
    select ${organizationId}::uuid, ${id}::uuid, name, "uidValidity", "uidNext", modseq, messages from looked
    on conflict (mailbox_id, name) do update set uid_validity = excluded.uid_validity, uid_next = excluded.uid_next,
      modseq = excluded.modseq, messages = excluded.messages
    where (imap_folders.uid_validity, imap_folders.uid_next, imap_folders.modseq, imap_folders.messages)
      is distinct from (excluded.uid_validity, excluded.uid_next, excluded.modseq, excluded.messages)`
  // Of folders that no longer exist.
  await query(tx)`
    delete from imap_changes
    where mailbox_id = ${id} and organization_id = ${organizationId} and at < now() - interval '1 day'`
}
