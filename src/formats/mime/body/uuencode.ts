/** The names that this encoding of Unix has in mail. */
export const UUENCODE: ReadonlySet<string> = new Set(['x-uuencode', 'uuencode', 'x-uue', 'uue', 'x-uu'])

const LF = 0x0a
const SPACE = 0x20

/** Decodes what stands between `begin 644 name` and `end` (POSIX, uuencode), or all lines where no `begin` comes. Each line starts with
 *  the number of its octets. Takes linear time. */
export function decodeUuencode(encoded: Buffer): Buffer {
  const decoded = Buffer.allocUnsafe(encoded.length)
  let length = 0
  let line = afterBegin(encoded)
  while (line < encoded.length) {
    const found = encoded.indexOf(LF, line)
    const lineEnd = found < 0 ? encoded.length : found
    if (encoded.toString('latin1', line, Math.min(lineEnd, line + 4)).trimEnd() === 'end') break
    const octets = sixBits(encoded[line])
    // Spaces at the end of a line may be lost on the way, but not of the last one, which may be cut off.
    const limit = found < 0 ? lineEnd : Number.POSITIVE_INFINITY
    for (let count = 0, at = line + 1; count < octets && at < limit && length < decoded.length; at += 4) {
      const group = [0, 1, 2, 3].reduce(
        (bits, place) => (bits << 6) | sixBits(at + place < lineEnd ? encoded[at + place] : SPACE),
        0,
      )
      for (let shift = 16; shift >= 0 && count < octets; shift -= 8, count++)
        decoded[length++] = (group >> shift) & 0xff
    }
    line = lineEnd + 1
  }
  return decoded.subarray(0, length)
}

/** A space and a backquote are zero. */
function sixBits(octet = SPACE): number {
  return (octet - SPACE) & 0x3f
}

function afterBegin(encoded: Buffer): number {
  const begin = encoded.indexOf('begin ', 0, 'latin1')
  const starts = begin === 0 || encoded[begin - 1] === LF
  const lineEnd = begin >= 0 && starts ? encoded.indexOf(LF, begin) : -1
  return lineEnd < 0 ? 0 : lineEnd + 1
}
