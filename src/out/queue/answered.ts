import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { Tx } from '#/base/db/schema.ts'
import { appendEvents } from '#/base/event-log/append.ts'

/** The stored form of a Message-ID, to recognize answers to it. */
export function answerMark(messageId: string): string {
  return hash('sha256', messageId, 'hex').slice(0, 32)
}

/** An arriving message that answers others. */
export interface Answer {
  readonly organizationId: string
  /** The marks of the Message-IDs that it answers. */
  readonly marks: readonly string[]
  /** The domains of its authors. */
  readonly domains: readonly string[]
  readonly at: Date
}

const reason = 'Somebody answered before it was due'

/** `scheduled` → `failed`, for messages of the organization that such an answer cancels. An author in the organization cancels
 *  nothing. The event log has the messages as cancelled. Messages whose sending has begun stay as they are. */
export async function cancelAnswered(tx: Tx, { organizationId, marks, domains, at }: Answer): Promise<void> {
  const { rows } = await sql<{ id: string; mailboxId: string | null }>`
    with answered as materialized (
      select id from outbound_messages
      where organization_id = ${organizationId} and state = 'scheduled' and answer_marks is not null
        and answer_marks && ${marks}::text[]
        and not exists (
          select from domains where organization_id = ${organizationId} and domain = any (${domains}::text[])
        )
      order by id for update
    )
    update outbound_messages set state = 'failed', last_error = ${reason}, failed_at = ${at}, answered_at = ${at}
    where id in (select id from answered)
    returning id, mailbox_id as "mailboxId"`.execute(tx)
  const known = rows.filter(({ mailboxId }) => mailboxId !== null)
  await appendEvents(
    tx,
    known.map(({ id: sent, mailboxId }) => ({
      ...{ organizationId, mailboxId, type: 'scheduled.cancelled' as const },
      data: { sent, reason },
    })),
  )
}
