import type { Db } from '#/db/schema.ts'
import { stillAnswered, stillRelayed } from '#/forwarding/arrival.ts'
import type { Claimed, Held } from './queue.ts'

/** Whether a message is still to go: what a mailbox sends by itself goes only as long as that is switched on, and was
 *  so without a break since the message was put into the queue. */
export async function isWanted(
  db: Db,
  { kind, mailboxId, createdAt }: Held,
  recipients: readonly Claimed[],
  now: Date,
): Promise<boolean> {
  if (kind === 'reply') return await stillAnswered(db, mailboxId, createdAt, now)
  if (kind !== 'relayed') return true
  for (const { recipient } of recipients) {
    if (!(await stillRelayed(db, mailboxId, recipient, createdAt, now))) return false
  }
  return true
}
