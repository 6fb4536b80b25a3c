/** A string for a command (RFC 9051, section 4.3), in printable ASCII: other characters of names are encoded before. */
export function quoted(text: string): string {
  if (!/^[\x20-\x7e]*$/.test(text)) throw new Error('Only printable ASCII goes into a command')
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

/** Uids as a sequence set (RFC 9051, section 9) with ranges. They must be in ascending order. */
export function uidSet(uids: readonly number[]): string {
  const runs: string[] = []
  for (let at = 0; at < uids.length; ) {
    const first = uids[at] ?? 0
    let last = first
    for (at++; uids[at] === last + 1; at++) last++
    runs.push(first === last ? `${first}` : `${first}:${last}`)
  }
  return runs.join(',')
}

/** The numbers of a sequence set; undefined if there are more than `most`, or it is invalid. */
export function numbersIn(set: string, most: number): number[] | undefined {
  const numbers: number[] = []
  for (const run of set.split(',')) {
    const [, from, to = from] = /^(\d{1,10})(?::(\d{1,10}))?$/.exec(run) ?? []
    if (from === undefined) return undefined
    const [low, high] = [Math.min(Number(from), Number(to)), Math.max(Number(from), Number(to))]
    if (numbers.length + high - low >= most) return undefined
    for (let number = low; number <= high; number++) numbers.push(number)
  }
  return numbers
}

/** Each once, ascending, without numbers that no message can have. */
export function realUids(uids: readonly number[]): number[] {
  const real = new Set(uids.filter((uid) => Number.isInteger(uid) && uid >= 1 && uid <= 0xffff_ffff))
  return [...real].sort((a, b) => a - b)
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** The date and time of RFC 9051, section 9, to the second. */
export function dateTime(at: Date): string {
  return `"${day(at).padStart(11)} ${at.toISOString().slice(11, 19)} +0000"`
}

/** A date for SEARCH. */
export function day(at: Date): string {
  return `${at.getUTCDate()}-${months[at.getUTCMonth()]}-${at.getUTCFullYear()}`
}

/** Milliseconds since the epoch of a server's date and time, `17-Jul-1996 02:44:25 -0700`; 0 if invalid. Parses bytes, since
 *  a folder has 100,000 of them. */
export function readDateTime(text: Buffer | undefined): number {
  return text?.length === dateTimeLength ? dateTimeAt(text, 0) : 0
}

/** Bytes of a date and time. */
export const dateTimeLength = 26

/** The same as `readDateTime`, for the bytes from here. */
export function dateTimeAt(bytes: Buffer, at: number): number {
  if (bytes[at + 2] !== 0x2d || bytes[at + 6] !== 0x2d || bytes[at + 20] !== 0x20) return 0
  const letters = (bytes[at + 3] ?? 0) | ((bytes[at + 4] ?? 0) << 8) | ((bytes[at + 5] ?? 0) << 16)
  const month = monthsByLetters.get(letters)
  if (month === undefined) return 0
  const seconds = (two(bytes, at + 12) * 60 + two(bytes, at + 15)) * 60 + two(bytes, at + 18)
  const local = dayStart(100 * two(bytes, at + 7) + two(bytes, at + 9), month, two(bytes, at)) + seconds * 1_000
  const zone = (two(bytes, at + 22) * 60 + two(bytes, at + 24)) * 60_000
  return bytes[at + 21] === 0x2d ? local + zone : local - zone
}

/** The last day that was parsed, and when it began: most messages are in order of date. */
let [lastDay, lastStart] = [0, 0]

function dayStart(year: number, month: number, day: number): number {
  const wanted = (year << 9) | (month << 5) | day
  if (wanted === lastDay) return lastStart
  lastDay = wanted
  lastStart = Date.UTC(year, month, day)
  return lastStart
}

const monthsByLetters = new Map(
  months.map((name, month) => [name.charCodeAt(0) | (name.charCodeAt(1) << 8) | (name.charCodeAt(2) << 16), month]),
)

/** Two digits; the first may be a space. */
function two(text: Buffer, at: number): number {
  const tens = text[at] ?? 0
  return (tens === 0x20 ? 0 : 10 * (tens - 0x30)) + (text[at + 1] ?? 0) - 0x30
}
