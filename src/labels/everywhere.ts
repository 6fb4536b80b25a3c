import type { Actor } from '#/audit/actor.ts'
import { beginReplacing } from '#/changes/record.ts'
import type { RunningChanges } from '#/changes/running-changes.ts'
import type { Tx } from '#/db/schema.ts'
import { Refusal } from '#/errors.ts'
import type { Caller } from '#/http/access/caller.ts'
import { smartMailboxesOf } from '#/mailboxes/queries.ts'

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

/** Waits a while for the end of the change. If the mail host is away, a worker continues it. */
export async function finishSoon(runningChanges: RunningChanges, change: string | null): Promise<void> {
  if (change === null) return
  try {
    await runningChanges.run(change)
  } catch (error) {
    if (!(error instanceof Refusal && error.code === 'mail_unavailable')) throw error
  }
}
