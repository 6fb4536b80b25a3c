const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const form = /^( ?\d|\d\d)-([a-z]{3})-(\d{4}) (\d\d):(\d\d):(\d\d) ([+-])(\d\d)(\d\d)$/i

/** Reads a date-time (RFC 9051, section 9), `17-Jul-1996 02:44:25 -0700`; undefined for any other text. */
export function readDateTime(text: string): Date | undefined {
  const [, day, month = '', year, hour, minute, second, sign, zoneHour, zoneMinute] = form.exec(text) ?? []
  const date = dateOf(Number(year), months.indexOf(month.toLowerCase()), Number(day))
  if (!date || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60 || Number(zoneMinute) > 59)
    return undefined
  const offset = (Number(zoneHour) * 60 + Number(zoneMinute)) * (sign === '-' ? -1 : 1)
  const seconds = (Number(hour) * 60 + Number(minute) - offset) * 60 + Number(second)
  return new Date(date.getTime() + seconds * 1000)
}

/** `"17-Jul-1996 02:44:25 +0000"`, as INTERNALDATE is written, in UTC. */
export function dateTime(date: Date): string {
  const month = months[date.getUTCMonth()] ?? 'jan'
  const day = String(date.getUTCDate()).padStart(2, ' ')
  const year = String(Math.min(Math.max(date.getUTCFullYear(), 0), 9999)).padStart(4, '0')
  const time = date.toISOString().slice(-13, -5)
  return `"${day}-${month[0]?.toUpperCase()}${month.slice(1)}-${year} ${time} +0000"`
}

/** Undefined for a day that is in no calendar. */
function dateOf(year: number, month: number, day: number): Date | undefined {
  const date = new Date(0)
  date.setUTCFullYear(year, month, day)
  return month >= 0 && date.getUTCMonth() === month && date.getUTCDate() === day ? date : undefined
}
