import type { Actor } from '#/base/audit/actor.ts'
import type { Tx } from '#/base/db/schema.ts'
import type { Caller } from '#/http/access/caller.ts'
import { beginReplacing } from '#/mail/changes/begin.ts'
import type { RunningChanges } from '#/mail/changes/running-changes.ts'
import { smartMailboxesOf } from '#/mail/mailboxes/queries.ts'

/** Begins to remove a keyword from all messages that the caller may change, or to replace it. Answers the change, which
 *  `finishSoon` continues; null if there are no mailboxes. */
export async function beginEverywhere(
  tx: Tx,
  caller: Caller,
  by: Actor,
  keyword: string,
  other: string | null = null,
): Promise<string | null> {
  const { organizationId } = caller
  const mailboxes = (await smartMailboxesOf(tx, caller)).map(({ id }) => id).filter((id) => caller.may('change', id))
  if (mailboxes.length === 0) return null
  return beginReplacing(tx, { organizationId, mailboxes, by }, { keyword, by: other })
}

/** Waits a while for the end of the change. If a step fails, a worker continues it. The caller gets
 *  its id nevertheless: whoever asked again would get another change, which records only what this one has left. */
export async function finishSoon(runningChanges: RunningChanges, change: string | null): Promise<void> {
  if (change !== null) await runningChanges.runOrLeave(change)
}
