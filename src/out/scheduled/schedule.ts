import { randomUUID } from 'node:crypto'
import type { Db, Tx } from '#/base/db/schema.ts'
import { invalid, notFound } from '#/base/errors.ts'
import { appendEvents, type By } from '#/base/event-log/append.ts'
import type { SealingKey } from '#/base/secrets/seal.ts'
import type { Caller } from '#/http/access/caller.ts'
import { answerMark } from '#/out/queue/answered.ts'
import { moveTo } from '#/out/queue/lifecycle.ts'
import type { Composer } from '#/out/sending/composer.ts'
import { mailbox } from '#/out/sending/fields.ts'
import { type Outgoing, recipientsOf } from '#/out/sending/outgoing.ts'
import type { SendingBody } from '#/out/sending/schemas.ts'
import type { Sender } from '#/out/sending/sender.ts'
import { insertScheduled, promisedOn, retryFailed, scheduledById } from './queries.ts'
import type { NewScheduled, Scheduled } from './scheduled-message.ts'
import { lockCommit } from './unknown-commit.ts'

interface ScheduleRequest {
  readonly body: Pick<SendingBody, 'to' | 'cc' | 'bcc'>
  readonly outgoing: Outgoing
  readonly sendAt: Date
  /** Whether a reply to its conversation cancels it. */
  readonly unlessReplied: boolean
}

/** Composes a message for later, outside any transaction, since a large one takes a while. Its Message-ID is final here; its
 *  Date and signatures are added when it is sent. */
export async function draft(
  compose: Composer,
  sender: Sender & Pick<NewScheduled, 'organizationId' | 'by' | 'byId'>,
  { body, outgoing, sendAt, unlessReplied }: ScheduleRequest,
): Promise<NewScheduled> {
  const id = randomUUID()
  return {
    id,
    organizationId: sender.organizationId,
    mailboxId: sender.mailboxId,
    from: sender.address,
    to: written(body.to),
    cc: written(body.cc),
    bcc: written(body.bcc),
    recipients: recipientsOf(outgoing),
    subject: outgoing.subject,
    attachmentCount: outgoing.attachments.length,
    raw: await compose(sender, outgoing, { messageId: `<${id}@${sender.domain}>`, date: sendAt }),
    by: sender.by,
    byId: sender.byId,
    sendAt,
    answerMarks: unlessReplied ? marksOf(outgoing) : null,
  }
}

/** @throws Refusal if it answers nothing */
function marksOf({ inReplyTo, references }: Outgoing): string[] {
  const named = new Set([...inReplyTo, ...references])
  if (named.size > 0) return Array.from(named, answerMark)
  throw invalid('unless_replied', 'unless_replied needs in_reply_to or references: the messages that an answer names')
}

/** Stores the message. Answers warnings, in sentences. */
export async function schedule(tx: Tx, key: SealingKey, one: NewScheduled, now: Date, by?: By): Promise<string[]> {
  await lockCommit(tx, one.id)
  const warnings = await warningsFor(tx, one)
  if (!(await insertScheduled(tx, key, one, now))) throw notFound('mailbox')
  const { id, organizationId, mailboxId } = one
  await appendEvents(tx, [{ organizationId, type: 'scheduled.created', mailboxId, data: { sent: id } }], by)
  return warnings
}

/** Schedules a failed message again, if the caller may write to all its recipients. Undefined if there is no failed one.
 *  @throws Refusal */
export async function retry(
  tx: Tx,
  key: SealingKey,
  named: Parameters<typeof retryFailed>[2],
  now: Date,
): Promise<Scheduled | undefined> {
  const back = await retryFailed(tx, key, named, now)
  const { to = [], cc = [], bcc = [] } = back ?? {}
  for (const text of [...to, ...cc, ...bcc]) named.caller.assertWritesTo(mailbox(text, 'id').address, 'id')
  return back
}

/** Moves a pending message to another time. Answers it with warnings; undefined if there is no pending one. */
export async function move(
  tx: Tx,
  key: SealingKey,
  { caller, id, sendAt }: { readonly caller: Caller; readonly id: string; readonly sendAt: Date },
  by: By,
): Promise<{ readonly moved: Scheduled; readonly warnings: string[] } | undefined> {
  if (!(await moveTo(tx, caller, id, sendAt, by))) return undefined
  const moved = await scheduledById(tx, key, { caller, id })
  if (!moved) throw new Error('A pending message is listed')
  // The message itself is among those that are promised.
  return { moved, warnings: await warningsFor(tx, { organizationId: caller.organizationId, sendAt, recipients: [] }) }
}

type Promised = Pick<NewScheduled, 'organizationId' | 'sendAt' | 'recipients'>

async function warningsFor(db: Db, { organizationId, sendAt, recipients }: Promised): Promise<string[]> {
  const { limit, promised } = await promisedOn(db, organizationId, sendAt)
  if (promised + recipients.length <= limit) return []
  const day = sendAt.toISOString().slice(0, 10)
  return [
    `The allowance of ${day} (UTC), ${limit} recipients, is already promised: with this message they are ${promised + recipients.length}, so it may fail with "Daily sending allowance reached"`,
  ]
}

function written(given: string | readonly string[] | undefined): string[] {
  return given === undefined ? [] : [given].flat().map((one) => one.trim())
}
