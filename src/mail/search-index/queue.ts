import { sql } from 'kysely'
import { databaseNow, type Lease, Leases } from '#/base/db/leases.ts'
import type { Db } from '#/base/db/schema.ts'
import { inBase64, whole } from '#/mail/store/octets.ts'
import { listingWords } from './listed-words.ts'
import { vocabularyOf } from './rest-text.ts'

export const indexingLeases = new Leases('mail_search_queue', 20_000)

export interface Unindexed extends Lease<number> {
  readonly organizationId: string
}

/** Claims contents to index, newest first. */
export async function claimUnindexed(db: Db, most: number): Promise<Unindexed[]> {
  return await indexingLeases.claim(db, databaseNow, {
    chosen: sql`
      select id from mail_search_queue where ${indexingLeases.free(databaseNow)} order by id desc limit ${most}`,
    due: sql`true`,
    returning: sql`organization_id as "organizationId"`,
  })
}

export interface UnindexedContent {
  readonly messageId: string | null
  readonly hasAttachment: boolean
  readonly sizeBytes: number
  /** In base64; null if they are stored in pieces. */
  readonly bytes: string | null
  /** The Smart mailboxes. */
  readonly mailboxIds: readonly string[]
}

/** Undefined if a content is deleted or no Smart mailbox has it. */
export async function readUnindexed(db: Db, { id, organizationId }: Unindexed): Promise<UnindexedContent | undefined> {
  const { rows } = await sql<UnindexedContent>`
    with place as materialized (
      select distinct folder.mailbox_id, message.size_bytes
      from mail_messages message
      join mail_folders folder on folder.id = message.folder_id
      join mailboxes mailbox on mailbox.id = folder.mailbox_id
      where message.content_id = ${id} and mailbox.organization_id = ${organizationId} and mailbox.kind <> 'private'
    )
    select message_id as "messageId", has_attachment as "hasAttachment", ${inBase64(whole)} as bytes,
      (select size_bytes from place limit 1) as "sizeBytes", array(select mailbox_id::text from place) as "mailboxIds"
    from mail_contents content
    where id = ${id} and organization_id = ${organizationId} and exists (select from place)`.execute(db)
  return rows[0]
}

export interface Words {
  readonly id: number
  readonly organization_id: string
  readonly words: string
  readonly rest: string
  readonly whole: boolean
  readonly ordered: boolean
}

/** Adds words to the index, in place of those of the same content, and removes claimed rows from the queue. Locks contents before rows of
 *  the queue, as deletion does. New words are listed in one order, so that no two processes wait for each other. */
export async function writeWords(db: Db, claimed: readonly Unindexed[], texts: readonly Words[]): Promise<void> {
  await sql`
    with locked as materialized (${listingWords}), word as (
      insert into mail_words (organization_id, word)
      select row.organization_id, row.word
      from jsonb_to_recordset(${JSON.stringify(listed(texts))}::jsonb) as row (organization_id uuid, word text)
      where (select count(*) from locked) > 0
      order by row.organization_id, row.word collate "C"
      on conflict do nothing
    ), content as materialized (
      select id from mail_contents where id = any(${claimed.map(({ id }) => id)}::bigint[]) order by id for key share
    ), taken as (
      delete from mail_search_queue
      where (select count(*) from content) >= 0 and ${indexingLeases.held(claimed)} returning id
    )
    insert into mail_search (content_id, organization_id, words, rest, whole, ordered)
    select row.id, row.organization_id, row.words, row.rest, row.whole, row.ordered
    from jsonb_to_recordset(${JSON.stringify(texts)}::jsonb)
      as row (id bigint, organization_id uuid, words text, rest text, whole boolean, ordered boolean)
    join taken on taken.id = row.id
    join content on content.id = row.id
    on conflict (content_id) do update set words = excluded.words, rest = excluded.rest, whole = excluded.whole,
      ordered = excluded.ordered`.execute(db)
}

function listed(texts: readonly Words[]): { organization_id: string; word: string }[] {
  const byOrganization = new Map<string, Set<string>>()
  for (const { organization_id, words, rest } of texts) {
    const held = byOrganization.get(organization_id)
    byOrganization.set(organization_id, (held ?? new Set()).union(vocabularyOf(words, rest)))
  }
  return [...byOrganization].flatMap(([organization_id, words]) =>
    Array.from(words, (word) => ({ organization_id, word })),
  )
}
