/** A literal that the end of a line announces (RFC 9051, section 4.3; RFC 7888; RFC 3516). */
export interface Announced {
  /** Where the announcement begins. */
  readonly at: number
  readonly octets: number
  /** The client waits to be asked for it. */
  readonly isSynchronizing: boolean
  readonly isBinary: boolean
}

const announcement = /(^|[ (])(~?)\{(\d+)([+-]?)\}$/

/** The literal that a line announces, from where an argument may begin to its end; undefined without one, and for what stands
 *  within quotes, which no line end can be in. `{5-}` says that the client would send LITERAL-, and is as `{5+}`. */
export function announcedAt(line: string): Announced | undefined {
  if (!line.endsWith('}')) return undefined
  const found = announcement.exec(line.slice(-longest))
  if (!found) return undefined
  const [all, before = '', binary, digits, mark] = found
  const at = line.length - all.length + before.length
  if (isWithinQuotes(line, at)) return undefined
  return { at, octets: Number(digits), isSynchronizing: mark === '', isBinary: binary === '~' }
}

/** Longer than what announces any literal that could be taken. */
const longest = 32

function isWithinQuotes(line: string, end: number): boolean {
  let isWithin = false
  for (let at = line.indexOf('"'); at >= 0 && at < end; at = line.indexOf('"', at + 1)) {
    if (!isWithin || !isEscaped(line, at)) isWithin = !isWithin
  }
  return isWithin
}

/** Whether an odd number of backslashes stands before. */
function isEscaped(line: string, at: number): boolean {
  let before = at
  while (line[before - 1] === '\\') before -= 1
  return (at - before) % 2 === 1
}
