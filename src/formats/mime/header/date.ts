import { withoutComments } from './lexical.ts'

/** A date as a header has it (RFC 5322, section 3.3), in UTC: of the same length for any of four-digit years. */
export function messageDate(at: Date): string {
  return at.toUTCString().replace('GMT', '+0000')
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** Zones with a name that counts (section 4.3), in hours; any other name is an unknown zone. */
const zones: Readonly<Record<string, number>> = {
  edt: -4,
  est: -5,
  cdt: -5,
  cst: -6,
  mdt: -6,
  mst: -7,
  pdt: -7,
  pst: -8,
}

const form =
  /^(?:[a-z]+\.?\s*,?\s*)?(\d{1,2})\s+([a-z]{3})[a-z]*\s+(\d{2,4})\s+(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\s*([ap])\.?m\b\.?)?(?:\s*([+-]\d{4})|\s+([a-z]+))?/

/** Reads a Date field, obsolete forms included (section 4.3). Undefined for any other text, and for a date that no calendar has. */
export function readDate(value: string): Date | undefined {
  return readTimes(value)?.utc
}

/** The same as it is written: the time of its zone, as if that were UTC. */
export function readWrittenDate(value: string): Date | undefined {
  return readTimes(value)?.written
}

function readTimes(value: string): { written: Date; utc: Date } | undefined {
  const match = form.exec(withoutComments(value.slice(0, 200)).toLowerCase())
  if (!match) return undefined
  const [, day = '', month = '', year = '', hour = '', minute = '', second = '0', half = '', offset = '', zone = ''] =
    match
  const [d, h, m, s] = [day, hourOfDay(hour, half), minute, second].map(Number) as [number, number, number, number]
  const at = new Date(0)
  at.setUTCFullYear(fullYear(year), months.indexOf(month), d)
  if (at.getUTCFullYear() < 1900 || !months.includes(month) || at.getUTCDate() !== d || h > 23 || m > 59 || s > 60)
    return undefined
  at.setUTCHours(h, m, Math.min(s, 59))
  const utc = new Date(at.getTime() - 60_000 * minutesOf(offset, zone))
  return utc.getUTCFullYear() > 9999 ? undefined : { written: at, utc } // RFC 3339 has years of four digits.
}

/** Some programs write `11:30:00 PM`. */
function hourOfDay(text: string, half: string): number {
  const hour = Number(text)
  if (half === '' || hour > 12) return hour
  return (hour % 12) + (half === 'p' ? 12 : 0)
}

function fullYear(text: string): number {
  const year = Number(text)
  if (text.length === 4) return year
  return text.length === 2 && year < 50 ? 2000 + year : 1900 + year
}

function minutesOf(offset: string, zone: string): number {
  if (offset === '') return 60 * (zones[zone] ?? 0)
  const minutes = 60 * Number(offset.slice(1, 3)) + Number(offset.slice(3))
  return offset.startsWith('-') ? -minutes : minutes
}
