const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a]
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/** Limits of what is compared. No body that a schema allows nests as deep or has as many names. */
const deepest = 32
const mostNames = 20_000

/** A name that an object of valid JSON has twice; undefined if none has. Of two values `JSON.parse` keeps the last, another reader
 *  the first (RFC 8259, section 4). One pass over the text, in constant time for each character. */
export function duplicateName(text: string): string | undefined {
  /** The names so far of each open object; undefined for an array. */
  const open: (Set<string> | undefined)[] = []
  let beyond = 0
  let names = 0
  let mayBeName = false
  for (let at = 0; at < text.length && names < mostNames; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE: {
        const end = endOfString(text, at)
        const within = beyond > 0 ? undefined : open.at(-1)
        if (mayBeName && within) {
          const name = JSON.parse(text.slice(at, end + 1)) as string
          if (within.has(name)) return name
          within.add(name)
          names += 1
        }
        at = end
        break
      }
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        if (open.length >= deepest) beyond += 1
        else open.push(text.charCodeAt(at) === OPEN_OBJECT ? new Set() : undefined)
        mayBeName = true
        break
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        if (beyond > 0) beyond -= 1
        else open.pop()
        break
      case COMMA:
        mayBeName = true
        break
      case COLON:
        mayBeName = false
    }
  }
  return undefined
}

/** The position of the quote that ends the string which begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let from = start + 1; ; ) {
    const end = text.indexOf('"', from)
    let before = end - 1
    while (text.charCodeAt(before) === BACKSLASH) before -= 1
    if ((end - before) % 2 === 1 || end < 0) return end < 0 ? text.length : end
    from = end + 1
  }
}
