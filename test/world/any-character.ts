import fc from 'fast-check'

/** Half surrogates are no characters. */
const [firstSurrogate, surrogates] = [0xd800, 0x800]

/** Any character of Unicode, as the unit of a text: the same as fast-check's own `binary`, which to shrink texts lists a million
 *  characters in each process, for two seconds of CPU. */
export const anyCharacter = fc.nat(0x10ffff - surrogates).map(
  (at) => String.fromCodePoint(at < firstSurrogate ? at : at + surrogates),
  (character) => {
    const point = typeof character === 'string' ? character.codePointAt(0) : undefined
    if (point === undefined || character !== String.fromCodePoint(point)) throw new Error('This is no character')
    if (point >= firstSurrogate && point < firstSurrogate + surrogates)
      throw new Error('Half a surrogate is no character')
    return point < firstSurrogate ? point : point - surrogates
  },
)
