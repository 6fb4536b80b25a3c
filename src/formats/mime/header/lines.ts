const TAB = 0x09
const LF = 0x0a
const CR = 0x0d
const SPACE = 0x20
const COLON = 0x3a
const SEMICOLON = 0x3b

/** A field of a header, as offsets into the bytes it was read from. */
export interface Field {
  /** In lower case. */
  readonly name: string
  /** Where the field's first line starts. */
  readonly start: number
  /** Where its value starts, and where it ends, before its last line break. A folded value has line breaks. */
  readonly valueStart: number
  readonly end: number
}

/** A field of which more lines may come. */
export interface OpenField extends Field {
  end: number
}

/** Where the line with `from` ends: at its LF, or at `limit`. For short lines a loop is faster than a search. */
export function endOfLine(bytes: Buffer, from: number, limit: number): number {
  const near = Math.min(limit, from + 256)
  let at = from
  while (at < near && bytes[at] !== LF) at++
  if (at < near || near === limit) return at
  const found = bytes.indexOf(LF, at)
  return found < 0 ? limit : Math.min(found, limit)
}

/** A name is printable ASCII without a colon; white space before the colon is obsolete syntax (section 4.5). In front of the first one
 *  some programs leave the byte-order mark of a file. */
export function readField(bytes: Buffer, line: number, end: number): OpenField | undefined {
  const start = afterMark(bytes, line)
  let at = start
  while (at < end && isNameByte(bytes[at] ?? 0)) at++
  const nameEnd = at
  while (at < end && isSpace(bytes[at] ?? 0)) at++
  if (nameEnd === start || at >= end || bytes[at] !== COLON) return undefined
  return { name: bytes.toString('latin1', start, nameEnd).toLowerCase(), start, valueStart: at + 1, end }
}

function afterMark(bytes: Buffer, line: number): number {
  return bytes[line] === 0xef && bytes[line + 1] === 0xbb && bytes[line + 2] === 0xbf ? line + 3 : line
}

export function startsWithSpace(bytes: Buffer, line: number): boolean {
  return bytes[line] === SPACE || bytes[line] === TAB
}

export function isBlank(bytes: Buffer, start: number, end: number): boolean {
  let at = start
  while (at < end && isSpace(bytes[at] ?? 0)) at++
  return at === end
}

/** A fold may lie before the colon. */
function isSpace(code: number): boolean {
  return code === SPACE || code === TAB || code === CR || code === LF
}

function isNameByte(code: number): boolean {
  return code > SPACE && code < 0x7f && code !== COLON
}

/** Whether a parameter has to follow, whose line some programs do not indent. */
export function lacksParameter(bytes: Buffer, { name, end }: Field): boolean {
  return bytes[end - 1] === SEMICOLON && (name === 'content-type' || name === 'content-disposition')
}

/** `From ann@example.com Sat Nov 21 …`, with which each message of an mbox starts. Other fields may have been put in front. */
export function isMboxLine(bytes: Buffer, line: number, isFirst: boolean): boolean {
  const text = bytes.toString('latin1', line, line + 200)
  return isFirst ? /^>?From /.test(text) : /^>?From \S+ +(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z][a-z] /.test(text)
}
