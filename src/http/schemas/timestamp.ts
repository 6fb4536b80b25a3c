import { invalid } from '#/base/errors.ts'

const form = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(\.\d+)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

/** A moment in RFC 3339 with its offset. @throws Refusal naming the field */
export function timestamp(text: string, field: string, or = ''): Date {
  const upper = text.toUpperCase()
  const [, year, month, day, hour, minute, second] = (form.exec(upper) ?? []).map(Number)
  if (year === undefined) {
    const example = '2026-11-21T08:00:00Z or 2026-11-21T09:00:00+01:00'
    throw invalid(field, `${field} must be a date and a time with an offset, such as ${example}${or}`)
  }
  const wrong = missing({ year, month: month ?? 0, day: day ?? 0 }) ?? beyond(hour ?? 0, minute ?? 0, second ?? 0)
  if (wrong !== undefined) throw invalid(field, `${field} does not exist: ${wrong}`)
  return new Date(upper)
}

/** `Date` reads the 30th of February as the 2nd of March. */
function missing({ year, month, day }: { year: number; month: number; day: number }): string | undefined {
  if (month < 1 || month > 12) return 'months are 01 to 12'
  const first = new Date(0)
  first.setUTCFullYear(year, month, 0)
  const days = first.getUTCDate()
  return day < 1 || day > days ? `${year}-${String(month).padStart(2, '0')} has the days 01 to ${days}` : undefined
}

/** Leap seconds are refused. */
function beyond(hour: number, minute: number, second: number): string | undefined {
  if (hour > 23) return 'hours are 00 to 23'
  if (minute > 59) return 'minutes are 00 to 59'
  return second > 59 ? 'seconds are 00 to 59' : undefined
}
