import { encodeWord } from 'nodemailer/lib/mime-funcs'
import type { HeaderField } from '#/out/sending/headers.ts'

/** Header fields as folded lines (RFC 5322, section 2.2.3). Text that is not ASCII, looks like an encoded word, has outer
 *  spaces or a word too long for a line is encoded (RFC 2047), so that it is read as it was given. */
export function fieldLines(fields: readonly HeaderField[]): Buffer {
  return Buffer.from(fields.map(({ name, value }) => `${folded(name, value)}\r\n`).join(''))
}

const longestLine = 76
const longestWord = 900

function folded(name: string, value: string): string {
  const words = value.split(/(?<=\S)(?=\s)/)
  const isPlain = /^[\x20-\x7e]*$/.test(value) && !value.includes('=?') && value.trim() === value
  if (!isPlain || words.some(({ length }) => length > longestWord)) return `${name}: ${encodedWords(value)}`
  let length = name.length + 2
  return words.reduce((text, word) => {
    const fits = length + word.length <= longestLine || length === name.length + 2
    length = fits ? length + word.length : word.length
    return text + (fits ? word : `\r\n${word}`)
  }, `${name}: `)
}

/** A text as encoded words, one per line. */
export function encodedWords(text: string): string {
  return encodeWord(text, 'B', 52).replaceAll(' ', '\r\n ')
}
