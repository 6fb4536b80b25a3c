import type { Db } from '#/base/db/schema.ts'
import type { SharedTime } from '#/base/db/time.ts'
import { stillAnswered, stillRelayed } from '#/out/forwarding/arrival.ts'
import type { Claimed } from '#/out/queue/claims.ts'
import type { QueuedMessage } from '#/out/queue/message.ts'

/** Whether a message is still to be sent. A mailbox forwards or answers only while that is switched on, without a break
 *  since the message was enqueued. */
export async function isStillToSend(
  db: Db,
  time: SharedTime,
  { kind, mailboxId, queuedAt }: QueuedMessage,
  recipients: readonly Claimed[],
): Promise<boolean> {
  if (kind !== 'reply' && kind !== 'relayed') return true
  const now = await time(db)
  if (kind === 'reply') return await stillAnswered(db, mailboxId, queuedAt, now)
  for (const { recipient } of recipients) {
    if (!(await stillRelayed(db, mailboxId, recipient, queuedAt, now))) return false
  }
  return true
}
