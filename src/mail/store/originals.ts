import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '#/base/db/schema.ts'
import { type By, insertNewEventsBy, newEvents } from '#/base/event-log/append.ts'
import { type IdHashKey, idHash } from '#/formats/mime/id-hash.ts'
import type { Copy } from './copy-to-append.ts'
import { makeFolders } from './folders.ts'

/** The marks for messages of a mailbox that have one Message-ID. */
interface OriginalMarks {
  readonly organization_id: string
  readonly mailbox_id: string
  /** In hexadecimal. */
  readonly id_hash: string
  answered: boolean
  forwarded: boolean
}

/** Marks the messages that copies answer or forward, and writes events. To be called before the copies are stored: none marks itself, and
 *  their folders are locked with the others, in one order (docs/database.md#lock-order). */
export async function markOriginals(tx: Tx, key: IdHashKey, copies: readonly Copy[], by?: By): Promise<void> {
  const wanted = wantedBy(key, copies)
  const mailboxes = wanted.length === 0 ? [] : await mailboxesWith(tx, wanted)
  if (mailboxes.length === 0) return
  await makeFolders(
    tx,
    copies.map(({ mailbox, folder: name }) => ({ mailbox, name })),
  )
  let isLeft = true
  // A message may be moved meanwhile to a folder that is made for it.
  while (isLeft) isLeft = await mark(tx, await lockAll(tx, copies, mailboxes), wanted, by)
}

function wantedBy(key: IdHashKey, copies: readonly Copy[]): OriginalMarks[] {
  const wanted = new Map<string, OriginalMarks>()
  for (const { mailbox, originals } of copies) {
    const { organizationId: organization_id, mailboxId: mailbox_id } = mailbox
    for (const as of ['answered', 'forwarded'] as const) {
      for (const id of originals?.[as] ?? []) {
        const id_hash = `\\x${idHash(key, id).toString('hex')}`
        const name = `${mailbox_id} ${id_hash}`
        const one = wanted.get(name) ?? { organization_id, mailbox_id, id_hash, answered: false, forwarded: false }
        one[as] = true
        wanted.set(name, one)
      }
    }
  }
  return [...wanted.values()]
}

/** The messages that lack a mark. */
function lacking(wanted: readonly OriginalMarks[]): RawBuilder<unknown> {
  return sql`
    select folder.organization_id, folder.mailbox_id, folder.id as folder_id, folder.name, folder.modseq + 1 as modseq, message.uid, message.id,
      wanted.answered and not message.answered as answers, wanted.forwarded and not message.forwarded as forwards
    from json_to_recordset(${JSON.stringify(wanted)}::json) as wanted
      (organization_id uuid, mailbox_id uuid, id_hash bytea, answered boolean, forwarded boolean)
    join mail_folders folder on folder.mailbox_id = wanted.mailbox_id and folder.organization_id = wanted.organization_id
    join mail_messages message on message.folder_id = folder.id and message.id_hash = wanted.id_hash
    where wanted.answered and not message.answered or wanted.forwarded and not message.forwarded`
}

/** The mailboxes that have such messages. */
async function mailboxesWith(tx: Tx, wanted: readonly OriginalMarks[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct mailbox_id as id from (${lacking(wanted)}) lacking`.execute(tx)
  return rows.map(({ id }) => id)
}

/** Locks all folders of these mailboxes, so that no message leaves one for another, and the folders of the copies, lowest id first. */
export async function lockAll(tx: Tx, copies: readonly Copy[], mailboxes: readonly string[]): Promise<number[]> {
  const targets = copies.map(({ mailbox: { organizationId, mailboxId }, folder }) => ({
    organization_id: organizationId,
    mailbox_id: mailboxId,
    name: folder,
  }))
  const { rows } = await sql<{ id: number }>`
    select id from mail_folders where id in (
      select folder.id from json_to_recordset(${JSON.stringify(targets)}::json) as target
        (organization_id uuid, mailbox_id uuid, name text)
      join mail_folders folder on folder.mailbox_id = target.mailbox_id and folder.organization_id = target.organization_id
      where folder.name = target.name or folder.mailbox_id = any(${mailboxes}::uuid[])
    )
    order by id for update`.execute(tx)
  return rows.map(({ id }) => id)
}

/** Marks those in the locked folders. True if others lack a mark. */
async function mark(
  tx: Tx,
  locked: readonly number[],
  wanted: readonly OriginalMarks[],
  by: By | undefined,
): Promise<boolean> {
  const { rows } = await sql<{ left: number }>`
    with lacking as materialized (${lacking(wanted)}),
    changing as materialized (select * from lacking where folder_id = any(${locked}::bigint[])),
    marked as (
      update mail_messages message
      set modseq = changing.modseq, answered = message.answered or answers, forwarded = message.forwarded or forwards
      from changing where message.folder_id = changing.folder_id and message.uid = changing.uid
    ), counted as (
      /* announced */ update mail_folders folder set modseq = changed.modseq
      from (select distinct folder_id, modseq from changing) changed where folder.id = changed.folder_id
    ), ${newEvents.rows} as (
      select organization_id, 'message.changed' as type, mailbox_id,
        jsonb_build_object('folder', name, 'uid', uid, 'id', id)
          || case when answers then '{"answered": true}' else '{}' end::jsonb
          || case when forwards then '{"forwarded": true}' else '{}' end::jsonb as data
      from changing order by folder_id, uid
    ), logged as (${insertNewEventsBy(by)})
    select (select count(*) from lacking) - (select count(*) from changing) as left`.execute(tx)
  return (rows[0]?.left ?? 0) > 0
}
