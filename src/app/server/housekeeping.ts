import type { Logger } from 'pino'
import { forgetEntries } from '#/base/audit/queries.ts'
import type { Db } from '#/base/db/schema.ts'
import type { SharedTime } from '#/base/db/time.ts'
import { forgetEvents } from '#/base/event-log/log.ts'
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
import { forgetFailed } from '#/out/queue/scheduled.ts'
import { forgetSent } from '#/out/sent/queries.ts'
import { forgetReplacedIds } from '#/out/sent/replaced-ids.ts'
import { forgetBounces } from '#/out/suppressions/queries.ts'
import { forgetLogins } from '#/people/passwords/attempts.ts'
import { forgetSessions } from '#/people/sessions/queries.ts'
import { recountStorage } from '#/people/usage/recount.ts'
import { recountFolders } from '#/people/usage/recount-folders.ts'
import { forgetRuns } from '#/rules/filters/runs/queries.ts'

const everyHour = 3_600_000
/** The time from the start to the first round, in milliseconds, or up to twice as long: a process that is restarted often must have
 *  rounds too, and processes that start together should not have them at once. */
const firstAfter = 2 * 60_000

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

interface HouseParts {
  readonly db: Db
  readonly time: SharedTime
  readonly log: Logger
}

/** Deletes expired rows soon after the start, then every hour: stored answers, digests of arrivals, counts of requests and logins,
 *  failed scheduled messages, what became of sent ones, ids that relays gave them, single bounces, changes of messages, auto-replies, return paths and returned
 *  reports of forwarding, MTA-STS policies, old secrets, members' links, sessions and challenges, entries of the audit trail, events,
 *  deliveries of webhooks, runs of filters, and words that no message has. Puts right what was counted wrongly of folders and storage. Removes sent drafts that are
 *  still in their folder. */
export function startHousekeeping({ db, time, log }: HouseParts): Disposable {
  const round = async () => {
    const now = await time(db)
    for (const deletion of deletions) {
      // Those behind one that fails are done nevertheless.
      await deletion(db, now).catch((err) => log.error({ err }, 'expired rows could not be deleted; it is tried again'))
    }
    // Each folder once a day: counting reads all its messages.
    await recountFolders(db, { nth: Math.floor(now.getTime() / everyHour) % 24, of: 24 }).then(
      ({ wrong }) => {
        for (const one of wrong) log.warn(one, 'a folder was counted wrongly, and is put right')
      },
      (err) => log.error({ err }, 'folders could not be counted; it is tried again'),
    )
    // Each word once a day, likewise.
    await forgetWords(db, { nth: Math.floor(now.getTime() / everyHour) % 24, of: 24 }).catch((err) =>
      log.error({ err }, 'words of deleted messages could not be removed; it is tried again'),
    )
    // After the folders, whose sizes it adds up.
    await recountStorage(db).then(
      (wrong) => wrong.length > 0 && log.warn({ wrong }, 'the storage in use was counted wrongly, and is put right'),
      (err) => log.error({ err }, 'the storage in use could not be counted; it is tried again'),
    )
    await removeSentDrafts(db)
  }
  const begin = () => void round().catch((err) => log.error({ err }, 'housekeeping failed'))
  let timer = setInterval(
    () => {
      clearInterval(timer)
      timer = setInterval(begin, everyHour)
      begin()
    },
    firstAfter * (1 + Math.random()),
  )
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
