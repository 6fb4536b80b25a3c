import { createHash } from 'node:crypto'
import { inTurns } from '#/base/event-loop/pieces.ts'

/** The relaxed canonicalization of DKIM (RFC 6376, section 3.4), on texts in Latin-1: one character per octet. */

/** A field and its line end. @param value the text behind the colon, folded or not */
export function relaxedField(name: string, value: string): string {
  return `${name.toLowerCase()}:${value
    .replace(/\r\n/g, '')
    .replace(/[ \t]+/g, ' ')
    .replace(/^ | $/g, '')}\r\n`
}

/** Octets that are canonicalized at once: a millisecond's work. */
const atOnce = 128 * 1024

/** SHA-256 of the body, in base64. White space becomes one space and is removed at the end of a line; empty lines at the end
 *  are removed. */
export async function bodyHash(body: Buffer): Promise<string> {
  const hash = createHash('sha256')
  /** The end of the input so far: possibly the beginning of a line end, or white space that is removed. */
  let open = ''
  /** Line ends behind the hashed part. They are removed if nothing follows. */
  let lineEnds = 0
  let empty = true
  const add = (text: string) => {
    let end = text.length
    while (text.endsWith('\r\n', end)) end -= 2
    if (end > 0) {
      hash.update(`${'\r\n'.repeat(lineEnds)}${text.slice(0, end)}`, 'latin1')
      lineEnds = 0
      empty = false
    }
    lineEnds += (text.length - end) / 2
  }
  for await (const piece of body.length <= atOnce ? [body] : inTurns(body, atOnce)) {
    // Most lines have single spaces only; the pattern skips those.
    const text = (open + piece.toString('latin1')).replace(/[ \t]{2,}|\t/g, ' ').replaceAll(' \r\n', '\r\n')
    open = openEnd(text)
    add(text.slice(0, text.length - open.length))
  }
  if (open.endsWith('\r')) add(open)
  if (!empty) hash.update('\r\n')
  return hash.digest('base64')
}

/** A space, a CR, or both, at the end of a text. */
function openEnd(text: string): string {
  const cr = text.endsWith('\r') ? 1 : 0
  return text.slice(text.length - (text.endsWith(' ', text.length - cr) ? cr + 1 : cr))
}
