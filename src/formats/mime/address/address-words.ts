import { endOfComment } from '../header/lexical.ts'

/** A word of an address list: an atom, a quoted string, a literal or an encoded word, with all that is joined to it. */
export interface Word {
  /** Without quotes and escapes. */
  readonly text: string
  readonly written: string
  /** It has an `@` outside quotes and encoded words. Only that makes an address (RFC 2047, section 5). */
  readonly hasAt: boolean
}

/** Whether a word continues after white space: around an `@`, and around the dots of a domain (RFC 5322, section 4.4). */
export function belongTogether(last: Word, next: string): boolean {
  return next.startsWith('@') || last.written.endsWith('@') || (last.hasAt && atDot(last, next))
}

export function atDot(last: Word | undefined, next: string): boolean {
  return next.startsWith('.') || last?.written.endsWith('.') === true
}

/** The words as one text, up to that many characters. */
export function joinedWords(words: readonly Word[], most: number): string {
  let text = ''
  for (const word of words) if (text.length < most) text += `${text && ' '}${word.text}`
  return text.slice(0, most)
}

/** `<@relay,@relay:ann@example.com>` (RFC 5322, section 4.4). */
export function withoutRoute(address: string): string {
  return address.startsWith('@') && address.includes(':') ? address.slice(address.indexOf(':') + 1) : address
}

/** Whether this is what some servers make of an empty group: `<undisclosed-recipients:;>`, `undisclosed-recipients:;@mx.example`. */
export function isEmptyGroup(name: string, address: string): boolean {
  if (address === '') return /:\s*;$/.test(name)
  return address.includes('@') ? address.startsWith('@') && name === '' : /:;?"?$/.test(address)
}

/** The place after the delimiter that closes the token at `start`. */
export function closing(value: string, start: number, delimiter: '"' | ')' | ']'): number | undefined {
  if (delimiter === ')') {
    const end = endOfComment(value, start)
    return end === undefined ? undefined : end + 1
  }
  for (let at = start + 1; at < value.length; at++) {
    if (value[at] === '\\') at++
    else if (value[at] === delimiter) return at + 1
  }
  return undefined
}
