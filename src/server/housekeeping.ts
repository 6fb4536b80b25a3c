import type { Logger } from 'pino'
import { forgetEntries } from '#/audit/queries.ts'
import { forgetChanges } from '#/changes/queries.ts'
import type { Db } from '#/db/schema.ts'
import type { SharedTime } from '#/db/time.ts'
import { forgetApprovals } from '#/drafts/approvals/approvals.ts'
import { removeSentDrafts } from '#/drafts/sending/remove-sent.ts'
import { forgetEvents } from '#/events/log.ts'
import { forgetRuns } from '#/filters/runs/queries.ts'
import { forgetAnswered } from '#/forwarding/arrival.ts'
import { forgetReturned } from '#/forwarding/returns.ts'
import { forgetAnswers } from '#/http/answers/kept-answers.ts'
import { forgetRequests } from '#/http/rate/shared-window.ts'
import { forgetArrivals } from '#/mail/arrivals.ts'
import { forgetWords } from '#/mail/search/listed-words.ts'
import { forgetPolicies } from '#/outbound/kept-policies.ts'
import { forgetReturnPaths } from '#/outbound/relaying/return-paths.ts'
import { forgetLogins } from '#/passwords/attempts.ts'
import { forgetFailed } from '#/queue/scheduled.ts'
import { forgetSecrets } from '#/secrets/open.ts'
import { forgetSent } from '#/sent/queries.ts'
import { forgetReplacedIds } from '#/sent/replaced-ids.ts'
import { forgetSessions } from '#/sessions/queries.ts'
import { forgetBounces } from '#/suppressions/queries.ts'
import { recountStorage } from '#/usage/recount.ts'
import { recountFolders } from '#/usage/recount-folders.ts'
import { forgetDeliveries } from '#/webhooks/progress.ts'

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
