import { sql } from 'kysely'
import type { Actor } from '#/base/audit/actor.ts'
import { timeAt } from '#/base/db/microseconds.ts'
import { retentionDays } from '#/base/db/retention.ts'
import type { Db, Tx } from '#/base/db/schema.ts'
import { appendEvents } from '#/base/event-log/append.ts'
import type { Caller } from '#/http/access/caller.ts'
import type { TimedPlace } from '#/http/schemas/cursor.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'

export const approvalStates = ['pending', 'approved', 'declined', 'outdated'] as const

/** Who asked or decided, as in the audit trail. */
export type Who = Pick<Actor, 'kind' | 'id' | 'name'>

/** A request to send a draft, and the decision. */
export interface Approval {
  readonly id: string
  readonly mailboxId: string
  readonly mailbox: string
  readonly key: string
  readonly uid: number
  readonly digest: string
  readonly status: (typeof approvalStates)[number]
  readonly requestedAt: Date
  readonly requestedBy: Who
  readonly decidedAt: Date | null
  readonly decidedBy: Who | null
  readonly reason: string | null
  readonly sentId: string | null
}

const columns = sql`
  approval.id, approval.mailbox_id as "mailboxId", mailbox.address as mailbox, approval.key, approval.uid, approval.digest,
  approval.status, approval.requested_at as "requestedAt", approval.requested_by as "requestedBy",
  approval.decided_at as "decidedAt", approval.decided_by as "decidedBy", approval.reason, approval.sent_id as "sentId"`

const joined = sql`
  draft_approvals approval
  join mailboxes mailbox on mailbox.organization_id = approval.organization_id and mailbox.id = approval.mailbox_id`

/** Approvals in the mailboxes that the caller reads, newest first. */
export async function approvalsOf(
  db: Db,
  caller: Caller,
  wanted: {
    readonly status?: Approval['status'] | undefined
    /** Only those of this draft. */
    readonly draft?: Pick<Approval, 'mailboxId' | 'key'> | undefined
    /** Only those behind this place. */
    readonly after?: TimedPlace | undefined
    readonly most: number
  },
): Promise<Approval[]> {
  const { status, draft, after, most } = wanted
  const rest = after ? sql`and (approval.requested_at, approval.id) < (${timeAt(after.at)}, ${after.id}::uuid)` : sql``
  const inState = status ? sql`and approval.status = ${status}` : sql``
  const ofDraft = draft ? sql`and approval.mailbox_id = ${draft.mailboxId} and approval.key = ${draft.key}` : sql``
  const { rows } = await sql<Approval>`
    select ${columns} from ${joined}
    where approval.organization_id = ${caller.organizationId} and ${caller.mayIn('read', 'approval.mailbox_id')}
      ${inState} ${ofDraft} ${rest}
    order by approval.requested_at desc, approval.id desc limit ${most}`.execute(db)
  return rows
}

export async function approvalById(db: Db, caller: Caller, id: string): Promise<Approval | undefined> {
  const { rows } = await sql<Approval>`
    select ${columns} from ${joined}
    where approval.organization_id = ${caller.organizationId} and approval.id = ${id}
      and ${caller.mayIn('read', 'approval.mailbox_id')}`.execute(db)
  return rows[0]
}

/** Whether approval of this message is asked for, and not decided. */
export async function isAskedFor(
  db: Db,
  { organizationId, mailboxId }: MailboxRef,
  { key, uid }: Pick<Approval, 'key' | 'uid'>,
): Promise<boolean> {
  const { rows } = await sql`
    select from draft_approvals
    where organization_id = ${organizationId} and mailbox_id = ${mailboxId} and key = ${key} and uid = ${uid}
      and status = 'pending'`.execute(db)
  return rows.length > 0
}

interface Asked {
  readonly key: string
  readonly uid: number
  readonly digest: string
  readonly by: Who
}

/** Requests approval of a draft as it is; answers the id. Earlier requests become outdated. */
export async function insertApproval(
  tx: Tx,
  { organizationId, mailboxId }: MailboxRef,
  { key, uid, digest, by }: Asked,
): Promise<string> {
  // One after another, so that at most one is pending.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`approval ${mailboxId} ${key}`}, 0))`.execute(tx)
  await outdate(tx, { organizationId, mailboxId }, key, Number.MAX_SAFE_INTEGER)
  const who = JSON.stringify({ kind: by.kind, id: by.id, name: by.name })
  const { rows } = await sql<{ id: string }>`
    insert into draft_approvals (organization_id, mailbox_id, key, uid, digest, requested_by)
    values (${organizationId}, ${mailboxId}, ${key}, ${uid}, ${digest}, ${who}::jsonb)
    returning id`.execute(tx)
  if (!rows[0]) throw new Error('An insert answers its row')
  const { id } = rows[0]
  await appendEvents(tx, [{ organizationId, type: 'approval.created', mailboxId, data: { id, name: 'pending' } }], by)
  return id
}

/** Marks pending approvals of the draft up to this message as outdated: its text has changed or is gone. Those of a later
 *  message stay. */
export async function outdate(tx: Tx, { organizationId, mailboxId }: MailboxRef, key: string, uid: number) {
  const { rows } = await sql<{ id: string }>`
    update draft_approvals set status = 'outdated', decided_at = now()
    where organization_id = ${organizationId} and mailbox_id = ${mailboxId} and key = ${key} and uid <= ${uid}
      and status = 'pending'
    returning id`.execute(tx)
  const events = rows.map(({ id }) => ({ id, name: 'outdated' }))
  await appendEvents(
    tx,
    events.map((data) => ({ organizationId, type: 'approval.changed', mailboxId, data })),
  )
}

interface Decision {
  readonly status: 'approved' | 'declined'
  readonly by: Who
  readonly reason?: string
  readonly sentId?: string
}

/** False if it was decided already. */
export async function decide(
  tx: Tx,
  organizationId: string,
  id: string,
  { status, by, reason = undefined, sentId = undefined }: Decision,
): Promise<boolean> {
  const who = JSON.stringify({ kind: by.kind, id: by.id, name: by.name })
  const { rows } = await sql<{ mailboxId: string }>`
    update draft_approvals
    set status = ${status}, decided_at = now(), decided_by = ${who}::jsonb, reason = ${reason ?? null},
      sent_id = ${sentId ?? null}
    where organization_id = ${organizationId} and id = ${id} and status = 'pending'
    returning mailbox_id as "mailboxId"`.execute(tx)
  const events = rows.map(({ mailboxId }) => ({ organizationId, mailboxId, data: { id, name: status } }))
  await appendEvents(
    tx,
    events.map((one) => ({ ...one, type: 'approval.changed' })),
    by,
  )
  return rows.length > 0
}

/** Deletes approvals that were decided long ago. */
export async function forgetApprovals(db: Db): Promise<void> {
  await sql`
    delete from draft_approvals where status <> 'pending'
      and decided_at <= now() - make_interval(days => ${retentionDays})`.execute(db)
}
