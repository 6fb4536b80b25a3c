import type { Address } from './address.ts'
import { oneLine } from './charset.ts'
import { decodeText } from './encoded-words.ts'
import { endOfComment } from './lexical.ts'

/** What is looked at of one list, and the longest name or address that counts. Real lists stay far below; a list of
 *  nothing but delimiters takes 5 ms. */
const MOST_ADDRESSES = 1_000
const MOST_TOKENS = 20_000
const MOST_TEXT = 256 * 1024
const LONGEST = 998

/** The mailboxes of an address list (RFC 5322, section 3.4), in order; groups are opened up, names decoded. Takes
 *  obsolete routes and comments, names without quotes, addresses without brackets, `;` for `,`, and whatever else
 *  arrives: it never throws nor recurses, and takes time in proportion to the value's length. */
export function parseAddresses(value: string): Address[] {
  const reader = new ListReader(value.slice(0, MOST_TEXT))
  for (let tokens = 0; tokens < MOST_TOKENS && reader.addresses.length < MOST_ADDRESSES; tokens++) {
    if (!reader.step()) break
  }
  reader.endMailbox()
  return reader.addresses
}

interface Word {
  /** As people read it: without quotes and escapes. */
  readonly text: string
  readonly written: string
  /** It has an `@` outside quotes and encoded words, which alone makes an address (RFC 2047, section 5). */
  readonly hasAt: boolean
}

/** White space, and NUL, which some mailers send for it. */
const SPACES = new Set([0x00, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20, 0xa0])
const ATOM = /[^\s\x00"(),:;<>[\]\\]+/y
/** Taken whole, since mailers forget to encode commas and spaces within. */
const ENCODED_WORD = /=\?[^?\s]{1,60}\?[bBqQ]\?[^?<>"]*\?=/y
const PLAIN_ANGLE = /<([^\s\x00"(),;<>]*)>/y

/** One pass over a list, token by token. */
class ListReader {
  readonly addresses: Address[] = []
  readonly #value: string
  #at = 0
  /** Where the last word ended: what follows without a space belongs to it. */
  #wordEnd = -1
  #words: Word[] = []
  #comment = ''
  /** The address in angle brackets, and how many words came before it. */
  #angle: string | undefined
  #wordsBeforeAngle = 0
  /** Delimiters whose end was once looked for in vain. Looking again at each would take quadratic time. */
  readonly #unclosed = new Set<string>()

  constructor(value: string) {
    this.#value = value
  }

  /** Takes one token; false at the end. */
  step(): boolean {
    while (SPACES.has(this.#value.charCodeAt(this.#at))) this.#at++
    const char = this.#value[this.#at]
    if (char === undefined) return false
    if (char === '<') this.#takeAngle()
    else if (char === '"') this.#takeQuoted()
    else if (char === '(') this.#takeComment()
    else if (char === '[') this.#takeLiteral()
    else if (char === ',' || char === ';') this.#end(1)
    else if (char === ':') this.#dropGroupName()
    else this.#takeAtom()
    return true
  }

  endMailbox(): void {
    const address = oneLine(this.#angle ?? this.#bareAddress())
    const name = decodeText(this.#words.map((word) => word.text).join(' ')) || decodeText(this.#comment)
    if ((address !== '' || name !== '') && address.length <= LONGEST) {
      this.addresses.push({ name: name.slice(0, LONGEST).toWellFormed(), address })
    }
    this.#words = []
    this.#comment = ''
    this.#angle = undefined
    this.#wordsBeforeAngle = 0
  }

  #end(length: number): void {
    this.endMailbox()
    this.#at += length
  }

  #dropGroupName(): void {
    if (this.#angle === undefined) this.#words = []
    this.#at++
  }

  #takeAtom(): void {
    const encoded = this.#value.startsWith('=?', this.#at) ? this.#match(ENCODED_WORD) : undefined
    const text = encoded ?? this.#match(ATOM)
    if (text) this.#addWord(text, text, encoded === undefined && text.includes('@'))
    else this.#at++
  }

  #takeQuoted(): void {
    const end = this.#close('"')
    if (end === undefined) return
    const written = this.#value.slice(this.#at, end)
    this.#addWord(written.slice(1, -1).replace(/\\([\s\S])/g, '$1'), written, false)
  }

  #takeLiteral(): void {
    const end = this.#close(']')
    if (end === undefined) return
    const written = this.#value.slice(this.#at, end)
    this.#addWord(written, written, false)
  }

  #takeComment(): void {
    const end = this.#close(')')
    if (end === undefined) return
    this.#comment ||= this.#value.slice(this.#at + 1, end - 1)
    this.#at = end
  }

  /** A second pair of brackets is a second mailbox: whom a message names twice must not depend on a comma. */
  #takeAngle(): void {
    if (this.#angle !== undefined) {
      const words = this.#words.splice(this.#wordsBeforeAngle)
      this.endMailbox()
      this.#words = words
    }
    this.#wordsBeforeAngle = this.#words.length
    const plain = this.#match(PLAIN_ANGLE)
    if (plain) this.#at += plain.length
    this.#angle = withoutRoute(plain ? plain.slice(1, -1) : this.#readAngle())
  }

  /** An angle address with white space, comments, quotes or a route in it, or without its end. */
  #readAngle(): string {
    let text = ''
    this.#at++
    while (this.#at < this.#value.length && text.length <= LONGEST) {
      const char = this.#value[this.#at] ?? ''
      if (char === '<' || ((char === ',' || char === ';') && !text.startsWith('@'))) break
      if (char === '"') {
        const end = this.#close('"')
        if (end === undefined) continue
        text += this.#value.slice(this.#at, end)
        this.#at = end
      } else if (char === '(') {
        this.#at = this.#close(')') ?? this.#at
      } else {
        this.#at++
        if (char === '>') break
        if (!/[\s\x00]/.test(char)) text += char
      }
    }
    return text
  }

  /** Where the token that starts here ends. One that never ends is no token: its first character is passed over. */
  #close(delimiter: '"' | ')' | ']'): number | undefined {
    const end = this.#unclosed.has(delimiter) ? undefined : closing(this.#value, this.#at, delimiter)
    if (end === undefined) {
      this.#unclosed.add(delimiter)
      this.#at++
    }
    return end
  }

  #addWord(text: string, written: string, hasAt: boolean): void {
    const last = this.#words.at(-1)
    const joined = this.#at === this.#wordEnd || written.startsWith('@') || last?.written.endsWith('@')
    if (last && joined && !(this.#angle !== undefined && this.#words.length === this.#wordsBeforeAngle)) {
      this.#words[this.#words.length - 1] = {
        text: last.text + text,
        written: last.written + written,
        hasAt: last.hasAt || hasAt,
      }
    } else this.#words.push({ text, written, hasAt })
    this.#at += written.length
    this.#wordEnd = this.#at
  }

  /** Without brackets the last word that looks like an address is it, and the others are the name. */
  #bareAddress(): string {
    const at = this.#words.findLastIndex(({ hasAt }) => hasAt)
    return this.#words.splice(at < 0 ? this.#words.length : at, 1)[0]?.written ?? ''
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    return pattern.exec(this.#value)?.[0]
  }
}

/** `<@relay,@relay:ann@example.com>` (RFC 5322, section 4.4). */
function withoutRoute(address: string): string {
  return address.startsWith('@') && address.includes(':') ? address.slice(address.indexOf(':') + 1) : address
}

/** The place after the delimiter that closes the token at `start`. */
function closing(value: string, start: number, delimiter: '"' | ')' | ']'): number | undefined {
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
