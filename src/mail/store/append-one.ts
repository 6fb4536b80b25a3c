import { sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'
import { type By, insertReceived, receivedEvents } from '#/base/event-log/append.ts'
import type { IdHashKey } from '#/formats/mime/id-hash.ts'
import type { Given } from './append-given.ts'
import { Contents, hashIds, messageRow } from './append-rows.ts'
import { countsStored, storedBytes } from './counts-stored.ts'
import type { MailboxRef } from './mailbox-ref.ts'
import { isLarge } from './octets.ts'
import { full } from './storage.ts'
import { storedType } from './stored-type.ts'

/** Where a message goes, as far as is known before it is looked up. */
interface Destination {
  readonly mailbox: MailboxRef
  readonly folder: string
  readonly isPrivate: boolean
}

/** Whether a message for a folder may take one statement. For Sent it does not, since our own copy may be there. */
export function takesOneStatement(folder: string, octets: Buffer): boolean {
  return folder !== 'sent' && !isLarge(octets)
}

/**
 * Stores a message that takes one statement, which commits by itself, in the folder that has the name now, writes its event, and answers the
 * folder and the uid. No filter runs. It does what `store` does (append-statement.ts) without lists of rows, which takes half of its time, and
 * looks itself whether there is room. Undefined, with nothing written, if there is none, there is no such folder, or the mailbox is Private
 * and was not said to be so, or the reverse.
 */
export async function appendOne(
  db: Db,
  key: IdHashKey,
  { mailbox, folder, isPrivate }: Destination,
  given: Given,
  by: By,
): Promise<{ folderId: number; uid: number } | undefined> {
  const { organizationId, mailboxId } = mailbox
  const copy = { ...given, mailbox, folder, filteredBy: [] }
  const contents = new Contents()
  const row = messageRow(copy, await hashIds(key, given.message), contents.add(copy), { folder: 0, nth: 0 })
  const [content] = contents.rows
  const { rows } = await sql<{ folderId: number; uid: number }>`
    with place as (
      /* announced */ update mail_folders folder set
        uid_next = folder.uid_next + 1,
        modseq = folder.modseq + 1,
        total = folder.total + 1,
        unread = folder.unread + case when ${row.seen}::boolean then 0 else 1 end,
        size_bytes = folder.size_bytes + ${row.size_bytes}::integer
      from mailboxes mailbox
      where folder.organization_id = ${organizationId} and folder.mailbox_id = ${mailboxId} and folder.name = ${folder}
        and mailbox.organization_id = ${organizationId} and mailbox.id = ${mailboxId}
        and (mailbox.kind = 'private') = ${isPrivate}::boolean
        and not exists (
          select from organizations organization
          join plans plan on plan.name = organization.plan
          join organization_usage usage on usage.organization_id = organization.id
          where organization.id = ${organizationId} and ${full}
        )
      returning folder.organization_id, folder.mailbox_id, folder.id as folder_id, folder.modseq, folder.uid_next - 1 as uid
    ), content as materialized (
      select nextval('mail_contents_id_seq') as id, place.* from place
    ), contents as (
      insert into mail_contents (id, organization_id, copies, bytes, message_id, thread_root, subject, from_name,
        from_address, recipients, has_attachment, preview, facts)
      select id, organization_id, 1, ${contents.bytes()}::bytea, ${content?.message_id}::text, ${content?.thread_root}::text, ${content?.subject}::text,
        ${content?.from_name}::text, ${content?.from_address}::text, ${JSON.stringify(content?.recipients)}::jsonb,
        ${content?.has_attachment}::boolean, ${content?.preview}::text, ${JSON.stringify(content?.facts)}::jsonb
      from content
    ), unindexed as (
      insert into mail_search_queue (id, organization_id) select id, organization_id from content
    ), messages as (
      insert into mail_messages (folder_id, uid, modseq, content_id, received_at, size_bytes, seen, flagged, answered,
        forwarded, deleted, draft, keywords, sender, id_hash, strong, weak)
      select folder_id, uid, modseq, id, ${row.received_at}::timestamptz, ${row.size_bytes}::integer, ${row.seen}::boolean,
        ${row.flagged}::boolean, ${row.answered}::boolean, ${row.forwarded}::boolean, ${row.deleted ?? false}::boolean,
        ${row.draft ?? false}::boolean, ${row.keywords}::text[], ${row.sender}::text, ${row.id_hash}::bytea, ${row.strong}::bytea, ${row.weak}::bytea
      from content
      returning folder_id, uid, id, received_at, seen, keywords
    ), keywords as (
      insert into mail_keywords (folder_id, keyword, received_at, uid, seen)
      select folder_id, unnest(keywords), received_at, uid, seen from messages
    ), ${receivedEvents.rows} as (
      select organization_id, mailbox_id, ${by.kind}::text as actor_kind, ${by.id}::uuid as actor_id, ${by.name}::text as actor_name,
        ${storedType(folder)}::text as type, jsonb_build_object('folder', ${folder}::text, 'uid', messages.uid, 'id', messages.id) as data
      from messages join place using (folder_id)
    ), ${insertReceived}, ${storedBytes.rows} as (
      select organization_id, ${row.size_bytes}::bigint as bytes from content
    ), ${countsStored}
    select folder_id as "folderId", uid from place`.execute(db)
  const [stored] = rows
  return stored
}
