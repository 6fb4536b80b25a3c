import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { Tx } from '#/db/schema.ts'
import { tell } from '#/events/tell.ts'

/** What is stored of a Message-ID that an answer may name. */
export function answerMark(messageId: string): string {
  return hash('sha256', messageId, 'hex').slice(0, 32)
}

/** A message that has come in. */
export interface Answer {
  readonly organizationId: string
  /** Of the Message-IDs that it answers. */
  readonly marks: readonly string[]
  /** Of its authors. */
  readonly domains: readonly string[]
  readonly at: Date
}

const reason = 'Somebody answered before it was due'

/** `scheduled` → `failed`, of the organization's messages that wait for such an answer, unless an author is of the organization. They
 *  are told as cancelled. A message whose sending has begun is left alone. */
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
  await tell(
    tx,
    known.map(({ id: sent, mailboxId }) => ({
      ...{ organizationId, mailboxId, type: 'scheduled.cancelled' as const },
      data: { sent, reason },
    })),
  )
}
