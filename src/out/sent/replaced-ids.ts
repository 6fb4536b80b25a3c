import { sql } from 'kysely'
import type { Db, Tx } from '#/base/db/schema.ts'
import { mayBeGiven } from '#/formats/mime/header/given-id.ts'
import type { OwnId } from '#/formats/mime/header/own-ids.ts'
import type { Message } from '#/formats/mime/message.ts'

/** A row of `replaced_message_ids`. */
export interface ReplacedId extends OwnId {
  readonly organizationId: string
  /** Of the message. */
  readonly queuedAt: Date
}

/** Only the last ids of relays that a message names are looked up, up to this number. */
const mostNamed = 200

/** Stores which Message-IDs a relay has given messages. Always in one order, so that two workers never deadlock. */
export async function storeReplacedIds(tx: Tx, replaced: readonly ReplacedId[]): Promise<void> {
  if (replaced.length === 0) return
  await sql`
    insert into replaced_message_ids (organization_id, given, own, queued_at)
    select "organizationId", given, own, "queuedAt"
    from jsonb_to_recordset(${JSON.stringify(replaced)}::jsonb) as one
      ("organizationId" uuid, given text, own text, "queuedAt" timestamptz)
    order by "organizationId", given
    on conflict do nothing`.execute(tx)
}

/** Our ids of messages that this one names by a relay's: as what it answers, as what a notice returns, or as itself. By
 *  organization, of those that have sent such a message. */
export async function ownIdsNamedBy(
  db: Db,
  organizationIds: readonly string[],
  { messageId, strong, weak }: Pick<Message, 'messageId' | 'strong' | 'weak'>,
): Promise<ReadonlyMap<string, readonly OwnId[]>> {
  // Most mail names none that can be a relay's, and asks nothing.
  const named = [...weak, ...strong, messageId ?? ''].filter(mayBeGiven).slice(-mostNamed)
  if (named.length === 0 || organizationIds.length === 0) return new Map()
  const { rows } = await sql<OwnId & { organizationId: string }>`
    select organization_id as "organizationId", given, own from replaced_message_ids
    where organization_id = any (${organizationIds}::uuid[])
      and given = any (${named.map((id) => id.toLowerCase())}::text[])
    order by organization_id, given`.execute(db)
  return Map.groupBy(rows, ({ organizationId }) => organizationId)
}

/** For how long relays' ids are known after a message was enqueued, in milliseconds. An answer that names one beside ours connects
 *  later ones. */
const keptMs = 90 * 86_400_000

/** Rows deleted by one statement. */
const atATime = 1_000

/** Deletes ids of messages that were sent long ago. */
export async function forgetReplacedIds(db: Db, now: Date, most = atATime): Promise<void> {
  const before = new Date(now.getTime() - keptMs)
  for (let gone = most; gone === most; ) {
    const { numAffectedRows = 0n } = await sql`
      delete from replaced_message_ids where (organization_id, given) in (
        select organization_id, given from replaced_message_ids where queued_at < ${before} limit ${most}
      )`.execute(db)
    gone = Number(numAffectedRows)
  }
}
