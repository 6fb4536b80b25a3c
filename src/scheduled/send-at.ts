import { invalid } from '#/errors.ts'
import { readTimestamp } from '#/http/timestamp.ts'

const minute = 60_000

/** What clocks may differ by, either way. */
const slack = minute

/** A month, as the window has it. */
const furthest = 31 * 24 * 60 * minute

/** When a message is to be sent, in RFC 3339 with an offset. @throws Refusal where it is anything else */
export function readSendAt(text: string): Date {
  const at = readTimestamp(text)
  if (at) return at
  throw invalid('send_at', 'send_at must be a date and a time with an offset: 2026-11-21T08:00:00Z or …+01:00')
}

/** From now to a month ahead (document, Scheduled messages, rule 1). @throws Refusal where it is not */
export function assertWithinWindow(at: Date, now: Date): void {
  const ahead = at.getTime() - now.getTime()
  if (ahead < -slack) throw invalid('send_at', 'That time has already passed')
  if (ahead > furthest + slack) throw invalid('send_at', 'Messages can be scheduled up to a month ahead')
}
