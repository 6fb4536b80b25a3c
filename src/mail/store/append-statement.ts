import { sql } from 'kysely'
import { DatabaseError } from 'pg'
import type { Db } from '#/base/db/schema.ts'
import { type By, insertReceived, receivedEvents } from '#/base/event-log/append.ts'
import type { Contents, MessageRow } from './append-rows.ts'
import type { Arrival } from './arrivals.ts'
import { areNew, arrivalRows, arriving, gain, noneSuspended, noted, notesIfReady, ready } from './arrivals.ts'
import { countsStored, storedBytes } from './counts-stored.ts'
import type { Named } from './folders.ts'
import { unreceived } from './stored-type.ts'

/** The messages added to a folder; `number` identifies it in the statement. */
export interface Gain {
  readonly number: number
  readonly organization_id: string
  readonly mailbox_id: string
  readonly name: string
  readonly added: number
  readonly unread: number
  readonly size_bytes: number
}

/** A folder whose counters include the messages; the first of them gets the uid `first`. */
export interface TargetFolder {
  readonly number: number
  readonly folder_id: number
  readonly modseq: number
  readonly first: number
}

/** Who stores copies, if it is not the service, and what one is stored in place of. */
export interface Told {
  readonly by?: By | undefined
  readonly movedFrom?: (Named & { readonly folder: string }) | undefined
}

/** Where copies are stored, and what is recorded of their arrival. */
export interface Places {
  readonly gains?: readonly Gain[]
  readonly places?: readonly TargetFolder[]
  readonly arrivals?: readonly Arrival[]
}

/** The SQLSTATE of `fail_as_changed_meanwhile`. */
const changedMeanwhile = 'PC409'

/** Writes contents, messages, keywords, the storage used and events. Folders are counted up here or
 *  in an earlier part of the same append. Answers the messages' places. Writes nothing and answers none if a folder is
 *  missing or removed while this waits for its lock. With arrivals it is a transaction of its own, and writes nothing either
 *  if not all of them are new or a mailbox is suspended; it fails, as `hasChangedMeanwhile` tells, if another transaction
 *  has changed that since it began. Arrivals are recorded before folders are locked; folders, lowest id first, before the
 *  storage. The last select reads all places, and only then does PostgreSQL run parts that nothing reads. The bytes are one
 *  binary parameter: an array would be sent in hexadecimal. Rows are `json`, which PostgreSQL reads once: for `jsonb` it
 *  makes a tree first, with sorted keys. */
export async function store(
  db: Db,
  { gains = [], places = [], arrivals = [] }: Places,
  contents: Contents,
  messages: readonly MessageRow[],
  { by, movedFrom }: Told = {},
): Promise<TargetFolder[]> {
  const { rows } = await sql<TargetFolder>`
    with ${arriving.rows} as (
      select * from json_to_recordset(${arrivalRows(arrivals)}::json) as arriving (mailbox_id uuid, digest text)
    ), ${gain.rows} as materialized (
      select folder.id, folder.mailbox_id, gain.number, gain.added, gain.unread, gain.size_bytes
      from json_to_recordset(${JSON.stringify(gains)}::json) as gain
        (number integer, organization_id uuid, mailbox_id uuid, name text, added integer, unread integer,
         size_bytes bigint)
      join mail_folders folder on folder.mailbox_id = gain.mailbox_id and folder.name = gain.name
        and folder.organization_id = gain.organization_id
    ), ${ready.rows} as materialized (
      select (select count(*) from gain) = ${gains.length}
        and (not ${arrivals.length > 0}::boolean or ${noneSuspended} and ${areNew}) as is_ready
    ), ${notesIfReady}, locked as materialized (
      select gain.* from gain join mail_folders folder on folder.id = gain.id
      where (select ${ready.is_ready} from ${ready.rows}) and (select count(*) from ${noted.rows}) = ${arrivals.length}
      order by folder.id for update of folder
    ), advanced as (
      /* announced */ update mail_folders folder set
        uid_next = folder.uid_next + locked.added,
        modseq = folder.modseq + 1,
        total = folder.total + locked.added,
        unread = folder.unread + locked.unread,
        size_bytes = folder.size_bytes + locked.size_bytes
      from locked where folder.id = locked.id and (select count(*) from locked) = ${gains.length}
      returning locked.number, folder.id as folder_id, folder.modseq, folder.uid_next - locked.added as first
    ), place as materialized (
      select * from advanced
      union all select * from json_to_recordset(${JSON.stringify(places)}::json) as place
        (number integer, folder_id bigint, modseq bigint, first bigint)
    ), content as materialized (
      select coalesce(row.given, nextval('mail_contents_id_seq')) as id, row.*
      from json_to_recordset(${JSON.stringify(contents.rows)}::json) as row
        (number integer, given bigint, organization_id uuid, copies integer, start integer, size_bytes integer,
         message_id text, thread_root text, subject text, from_name text, from_address text, recipients jsonb,
         has_attachment boolean, preview text, facts jsonb)
      where exists (select from place)
    ), contents as (
      insert into mail_contents (id, organization_id, copies, bytes, message_id, thread_root, subject, from_name,
        from_address, recipients, has_attachment, preview, facts)
      select id, organization_id, copies, substring(${contents.bytes()}::bytea from start for size_bytes), message_id,
        thread_root, subject, from_name, from_address, recipients, has_attachment, preview, facts
      from content
    ), unindexed as (
      insert into mail_search_queue (id, organization_id) select id, organization_id from content
    ), messages as (
      insert into mail_messages (folder_id, uid, modseq, content_id, received_at, size_bytes, seen, flagged, answered,
        forwarded, deleted, draft, yields_until, keywords, sender, id_hash, strong, weak, filtered_by)
      select place.folder_id, place.first + row.nth, place.modseq, content.id, row.received_at, row.size_bytes, row.seen,
        row.flagged, row.answered, row.forwarded, coalesce(row.deleted, false), coalesce(row.draft, false),
        case when row.yields then now() + interval '10 minutes' end, row.keywords, row.sender, row.id_hash, row.strong, row.weak, row.filtered_by
      from json_to_recordset(${JSON.stringify(messages)}::json) as row
        (content integer, folder integer, nth integer, received_at timestamptz, size_bytes integer, seen boolean,
         flagged boolean, answered boolean, forwarded boolean, deleted boolean, draft boolean, yields boolean, keywords text[], sender text,
         id_hash bytea, strong bytea, weak bytea, filtered_by jsonb)
      join content on content.number = row.content
      join place on place.number = row.folder
      returning folder_id, uid, id, received_at, seen, keywords
    ), keywords as (
      insert into mail_keywords (folder_id, keyword, received_at, uid, seen)
      select folder_id, unnest(keywords), received_at, uid, seen from messages
    ), ${receivedEvents.rows} as (
      select folder.organization_id, folder.mailbox_id, ${by?.kind ?? 'service'}::text as actor_kind, ${by?.id ?? null}::uuid as actor_id,
        ${by?.name ?? ''}::text as actor_name,
        case when folder.name = any(${by ? unreceived : []}::text[]) then 'message.changed' else 'message.received' end as type,
        jsonb_build_object('folder', folder.name, 'uid', messages.uid, 'id', messages.id) || ${JSON.stringify(movedFrom ? { moved_from: movedFrom } : {})}::jsonb as data
      from messages join mail_folders folder on folder.id = messages.folder_id
      -- Nor is a copy in Sent received, of which the event is another.
      where ${by !== undefined}::boolean or folder.name <> 'sent'
      order by messages.folder_id, messages.uid
    ), ${insertReceived}, ${storedBytes.rows} as (
      select organization_id, sum(copies * size_bytes::bigint) as bytes from content group by organization_id
    ), ${countsStored}
    select number, folder_id, modseq, first from ready left join place on true
    where number is not null or case
      when ${arrivals.length > 0}::boolean and is_ready and (select count(*) from place) < ${gains.length}
      then fail_as_changed_meanwhile() end`.execute(db)
  return rows
}

/** Whether `store` has failed since another transaction has changed folders or recorded arrivals. */
export function hasChangedMeanwhile(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === changedMeanwhile
}
