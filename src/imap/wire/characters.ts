/** Classes of characters of RFC 9051, section 9, as tables of the first 128 codes. */

const specials = '(){ %*"\\]'

/** ATOM-CHAR: what needs no quotes. */
export const isAtomChar = table((character) => !specials.includes(character))
/** ASTRING-CHAR: atoms of arguments may have `]` too. */
export const isAstringChar = table((character) => character === ']' || !specials.includes(character))
/** Names of mailboxes without quotes, which in LIST may have wildcards. */
export const isMailboxChar = table((character) => ']%*'.includes(character) || !specials.includes(character))
/** A tag's: ASTRING-CHAR without `+`, which begins continuation requests. */
export const isTagChar = table((character) => character !== '+' && (character === ']' || !specials.includes(character)))

/** Whether a character's code is in a class. */
export type CharacterClass = (code: number) => boolean

function table(has: (character: string) => boolean): CharacterClass {
  const codes = Uint8Array.from({ length: 128 }, (_, code) => {
    return code > 0x1f && code < 0x7f && has(String.fromCharCode(code)) ? 1 : 0
  })
  return (code) => codes[code] === 1
}

/** Whether a text is not empty, and all of the class. */
export function isAllOf(text: string, isOf: CharacterClass): boolean {
  for (let at = 0; at < text.length; at++) if (!isOf(text.charCodeAt(at))) return false
  return text.length > 0
}
