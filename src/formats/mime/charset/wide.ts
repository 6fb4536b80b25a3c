/** Whether the bytes start with a byte-order mark of UTF-16. */
export function hasWideMark(bytes: Buffer): boolean {
  return (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)
}

/** Which of the two orders a text in UTF-16 has. The mark says it, else the label, else the zeros of its Latin letters, spaces and line
 *  breaks. */
export function utf16Name(bytes: Buffer, label: string): 'utf-16le' | 'utf-16be' {
  if (hasWideMark(bytes)) return bytes[0] === 0xff ? 'utf-16le' : 'utf-16be'
  if (label === 'utf-16be' || label === 'unicodefffe') return 'utf-16be'
  if (label === 'utf-16le' || label === 'unicodefeff') return 'utf-16le'
  let zeros = 0
  for (let at = 0; at < bytes.length && at < LOOKED_AT; at++) if (bytes[at] === 0) zeros += at % 2 === 0 ? 1 : -1
  return zeros > 0 ? 'utf-16be' : 'utf-16le'
}

const LOOKED_AT = 1_024
