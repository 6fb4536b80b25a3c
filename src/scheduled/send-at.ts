import { invalid } from '#/errors.ts'

const minute = 60_000

/** What clocks may differ by, either way. */
const slack = minute

/** A month, as the window has it. */
const furthest = 31 * 24 * 60 * minute

const form = /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(\.\d+)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

/** When a message is to be sent, in RFC 3339 with an offset. @throws Refusal where it is anything else */
export function readSendAt(text: string): Date {
  const at = parsed(text.toUpperCase())
  if (at) return at
  throw invalid('send_at', 'send_at must be a date and a time with an offset: 2026-11-21T08:00:00Z or …+01:00')
}

/** From now to a month ahead (document, Scheduled messages, rule 1). @throws Refusal where it is not */
export function assertWithinWindow(at: Date, now: Date): void {
  const ahead = at.getTime() - now.getTime()
  if (ahead < -slack) throw invalid('send_at', 'That time has already passed')
  if (ahead > furthest + slack) throw invalid('send_at', 'Messages can be scheduled up to a month ahead')
}

/** `Date.parse` takes the 30th of February for the 2nd of March. */
function parsed(text: string): Date | undefined {
  const [, year, month, day] = form.exec(text) ?? []
  if (Number(day) < 1 || Number(day) > new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()) return undefined
  const at = new Date(text)
  return day === undefined || Number.isNaN(at.getTime()) ? undefined : at
}
