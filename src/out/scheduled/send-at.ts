import { invalid } from '#/base/errors.ts'

const minute = 60_000

/** Clocks may differ by this much. */
const slack = minute

/** A month, as the window has it. */
const furthest = 31 * 24 * 60 * minute

/** From now to a month ahead (docs/reference/scheduled.md). @throws Refusal if it is not */
export function assertWithinWindow(at: Date, now: Date): void {
  const ahead = at.getTime() - now.getTime()
  if (ahead < -slack) throw invalid('send_at', 'That time has already passed')
  if (ahead > furthest + slack) throw invalid('send_at', 'Messages can be scheduled up to a month ahead')
}
