import { atDot, belongTogether, closing, type Word, withoutRoute } from './address-words.ts'

/** Of a name or address in a list, and of a name before it is decoded. Real ones stay far below. */
export const LONGEST = 998
export const LONGEST_NAME = 16 * LONGEST

/** A mailbox of a list as it is written. */
export interface WrittenMailbox {
  /** Those of the name, with encoded words as they are. */
  readonly words: readonly Word[]
  /** The first comment, which names who has no other name. */
  readonly comment: string
  /** Without angle brackets and route; empty if there is none. */
  readonly address: string
  /** `@a.example,@b.example`, or empty. */
  readonly route: string
}

/** White space, and NUL, which some mailers send for it. */
const SPACES = new Set([0x00, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20, 0xa0])
/** U+FEFF is not a space: it is invisible. */
const ATOM = /(?:[^\s\x00"(),:;<>[\]\\]|\ufeff)+/y
/** One token, since some mailers do not encode commas and spaces within. */
const ENCODED_WORD = /=\?[^?\s]{1,60}\?[bBqQ]\?[^?<>"]*\?=/y
/** One with a `?` in it, of limited length, so that many beginnings without an end take linear time. */
const QUESTIONING_WORD = /=\?[^?\s]{1,60}\?[qQ]\?(?:[^?<>"]|\?(?!=)){0,200}\?=/y
/** Characters that RFC 2047, section 5 does not allow in an encoded word here. */
const NEVER_ENCODED = /[\s,:;()]/
const PLAIN_ANGLE = /<([^\s\x00"(),;<>]*)>/y

/** One pass over an address list (RFC 5322, section 3.4), token by token. */
export abstract class ListReader {
  readonly strays: string[] = []
  readonly #value: string
  #at = 0
  /** Where the last word ended. Text that follows without a space belongs to it. */
  #wordEnd = -1
  #words: Word[] = []
  #comment = ''
  /** The address in angle brackets, and how many words came before it. */
  #angle: string | undefined
  #route = ''
  #wordsBeforeAngle = 0
  /** Delimiters without an end. To look for each end again would take quadratic time. */
  readonly #unclosed = new Set<string>()

  constructor(value: string) {
    this.#value = value
  }

  /** Reads one token; false at the end. */
  step(): boolean {
    while (SPACES.has(this.#value.charCodeAt(this.#at))) this.#at++
    const char = this.#value[this.#at]
    if (char === undefined) return false
    if (char === '<') this.#takeAngle()
    else if (char === '"') this.#takeQuoted()
    else if (char === '(') this.#takeComment()
    else if (char === '[') this.#takeLiteral()
    else if (char === ',' || char === ';') this.#end(char)
    else if (char === ':') this.#dropGroupName()
    else this.#takeAtom()
    return true
  }

  endMailbox(): void {
    const address = this.#angle ?? this.#bareAddress()
    this.mailbox({ words: this.#words, comment: this.#comment, address, route: this.#route })
    this.#leaveWords()
    this.#comment = ''
    this.#angle = undefined
    this.#route = ''
    this.#wordsBeforeAngle = 0
  }

  /** A mailbox has ended; it may have neither name nor address. */
  protected abstract mailbox(written: WrittenMailbox): void

  /** A group begins with that name, and ends. Either may stand without the other. */
  protected group(_name: readonly Word[]): void {}
  protected endOfGroup(): void {}

  #end(delimiter: ',' | ';'): void {
    this.endMailbox()
    if (delimiter === ';') this.endOfGroup()
    this.#at++
  }

  #dropGroupName(): void {
    if (this.#angle === undefined) {
      this.group(this.#words)
      this.#leaveWords()
    }
    this.#at++
  }

  #leaveWords(): void {
    for (const { written, hasAt } of this.#words) if (hasAt) this.strays.push(written)
    this.#words = []
  }

  /** Records a text that is not an address for us, if others may see one in it. */
  protected mistakable(text: string, where: RegExp): void {
    if (text.includes('@') && where.test(text)) this.strays.push(text)
  }

  #takeAtom(): void {
    const encoded = this.#value.startsWith('=?', this.#at)
      ? (this.#match(ENCODED_WORD) ?? this.#match(QUESTIONING_WORD))
      : undefined
    const text = encoded ?? this.#match(ATOM)
    if (encoded) this.mistakable(encoded, NEVER_ENCODED)
    if (text) this.#addWord(text, text, encoded === undefined && text.includes('@'))
    else this.#at++
  }

  #takeQuoted(): void {
    const end = this.#close('"')
    if (end === undefined) return
    const written = this.#value.slice(this.#at, end)
    this.mistakable(written, /\\/)
    this.#addWord(written.slice(1, -1).replace(/\\([\s\S])/g, '$1'), written, false)
  }

  #takeLiteral(): void {
    const end = this.#close(']')
    if (end === undefined) return
    const written = this.#value.slice(this.#at, end)
    this.mistakable(written, /@/)
    this.#addWord(written, written, false)
  }

  #takeComment(): void {
    const end = this.#close(')')
    if (end === undefined) return
    const comment = this.#value.slice(this.#at + 1, end - 1)
    this.mistakable(comment, /[()\\<>]/)
    this.#comment ||= comment
    this.#at = end
  }

  /** A second pair of brackets is a second mailbox, also without a comma. */
  #takeAngle(): void {
    if (this.#angle !== undefined) {
      const words = this.#words.splice(this.#wordsBeforeAngle)
      this.endMailbox()
      this.#words = words
    }
    this.#wordsBeforeAngle = this.#words.length
    const plain = this.#match(PLAIN_ANGLE)
    const start = this.#at + 1
    if (plain) this.#at += plain.length
    const written = plain ? plain.slice(1, -1) : this.#readAngle()
    this.#angle = withoutRoute(written)
    this.#route = written.slice(0, Math.max(0, written.length - this.#angle.length - 1))
    if (!plain || this.#angle !== written) this.mistakable(this.#value.slice(start, this.#at), /@/)
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

  /** Where the token that starts here ends. If it never ends it is no token, and its first character is skipped. */
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
    const joined = this.#at === this.#wordEnd || (last !== undefined && belongTogether(last, written))
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

  /** Without brackets, the last word that looks like an address is the address, and the others are the name. */
  #bareAddress(): string {
    const at = this.#words.findLastIndex(({ hasAt }) => hasAt)
    // White space may stand around the dots of a local part too, if there is nothing else in front.
    const dotted = at > 0 && this.#words.slice(1, at + 1).every((word, i) => atDot(this.#words[i], word.written))
    const from = dotted ? 0 : at
    const words = at < 0 ? [] : this.#words.splice(from, at + 1 - from)
    return words.map(({ written }) => written).join('')
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    return pattern.exec(this.#value)?.[0]
  }
}
