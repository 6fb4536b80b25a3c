import type { Logger } from 'pino'
import { forgetEntries } from '#/base/audit/queries.ts'
import type { Db } from '#/base/db/schema.ts'
import type { SharedTime } from '#/base/db/time.ts'
import { forgetEvents } from '#/base/event-log/log.ts'
import { Loop } from '#/base/event-loop/loop.ts'
import { forgetSecrets } from '#/base/secrets/open.ts'
import { forgetDeliveries } from '#/events/webhooks/progress.ts'
import { forgetAnswers } from '#/http/answers/kept-answers.ts'
import { forgetRequests } from '#/http/rate/shared-window.ts'
import { forgetChanges } from '#/mail/changes/queries.ts'
import { forgetWords } from '#/mail/search-index/listed-words.ts'
import { forgetArrivals } from '#/mail/store/arrivals.ts'
import { forgetPolicies } from '#/out/delivery/kept-policies.ts'
import { forgetApprovals } from '#/out/drafts/approvals/approvals.ts'
import { removeSentDrafts } from '#/out/drafts/sending/remove-sent.ts'
import { forgetReturnPaths } from '#/out/follow-ups/return-paths.ts'
import { forgetAnswered } from '#/out/forwarding/arrival.ts'
import { forgetReturned } from '#/out/forwarding/returns.ts'
import { forgetFailed } from '#/out/queue/lifecycle.ts'
import { forgetSent } from '#/out/sent/queries.ts'
import { forgetReplacedIds } from '#/out/sent/replaced-ids.ts'
import { forgetBounces } from '#/out/suppressions/queries.ts'
import { forgetLogins } from '#/people/passwords/attempts.ts'
import { forgetSessions } from '#/people/sessions/queries.ts'
import { recountStorage } from '#/people/usage/recount.ts'
import { recountFolders } from '#/people/usage/recount-folders.ts'
import { forgetRuns } from '#/rules/filters/runs/queries.ts'

const everyHour = 3_600_000
/** Soon, since a process that is restarted often must have rounds too. */
const firstMs = 2 * 60_000

const deletions: readonly ((db: Db, now: Date) => Promise<unknown>)[] = [
  forgetAnswers,
  forgetArrivals,
  forgetRequests,
  forgetLogins,
  forgetFailed,
  forgetSent,
  forgetReplacedIds,
  forgetBounces,
  forgetChanges,
  forgetAnswered,
  forgetReturnPaths,
  forgetReturned,
  forgetPolicies,
  forgetSecrets,
  (db) => forgetEntries(db),
  (db) => forgetEvents(db),
  forgetDeliveries,
  (db) => forgetRuns(db),
  forgetSessions,
  forgetApprovals,
]

interface Dependencies {
  readonly db: Db
  readonly time: SharedTime
  readonly log: Logger
}

/** Deletes expired rows soon after the start, then every hour: stored answers, digests of arrivals, counts of requests and logins,
 *  failed scheduled messages, what became of sent ones, ids that relays gave them, single bounces, changes of messages, auto-replies, return paths and returned
 *  reports of forwarding, MTA-STS policies, old secrets, members' links, sessions and challenges, entries of the audit trail, events,
 *  deliveries of webhooks, runs of filters, and words that no message has. Puts right what was counted wrongly of folders and storage. Removes sent drafts that are
 *  still in their folder. */
export class Housekeeping extends Loop {
  readonly #parts: Dependencies

  constructor(parts: Dependencies) {
    super({ idleMs: everyHour, firstMs, log: parts.log, failed: 'housekeeping failed' })
    this.#parts = parts
  }

  protected override async round(): Promise<boolean> {
    const { db, time, log } = this.#parts
    const now = await time(db)
    // What follows something that fails is done nevertheless.
    const done = async (work: () => Promise<unknown>, failed: string) => {
      if (!this.stopping.aborted) await work().catch((err) => this.noteError(err, `${failed}; it is tried again`))
    }
    for (const deletion of deletions) await done(() => deletion(db, now), 'expired rows could not be deleted')
    // Each folder and each word once a day: counting reads all messages.
    const part = { nth: Math.floor(now.getTime() / everyHour) % 24, of: 24 }
    await done(async () => {
      const { wrong } = await recountFolders(db, part)
      for (const one of wrong) log.warn(one, 'a folder was counted wrongly, and is put right')
    }, 'folders could not be counted')
    await done(() => forgetWords(db, part), 'words of deleted messages could not be removed')
    // After the folders, whose sizes it adds up.
    await done(async () => {
      const wrong = await recountStorage(db)
      if (wrong.length > 0) log.warn({ wrong }, 'the storage in use was counted wrongly, and is put right')
    }, 'the storage in use could not be counted')
    if (!this.stopping.aborted) await removeSentDrafts(db)
    return false
  }
}
