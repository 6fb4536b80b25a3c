import { normalized } from '#/base/text/unicode.ts'
import { decodeUtf7, encodeUtf7 } from '#/formats/mime/modified-utf7.ts'
import { Bad, No } from '../answers.ts'
import type { Arguments, Octets } from './arguments.ts'
import { type CharacterClass, isAstringChar, isAtomChar, isMailboxChar } from './characters.ts'
import { readDateTime } from './date-time.ts'
import { readSequenceSet, type SequenceSet } from './sequence-set.ts'

/** A command as it was received: its text in Latin-1, each octet a character, in which NUL stands for the next literal. */
export interface Received {
  readonly text: string
  readonly literals: readonly Octets[]
}

const LITERAL = '\0'
/** What is read by recursion may be nested so deep: what people and programs search for is nested ten deep, and a call takes
 *  some hundred octets of the stack. */
const deepest = 100
const highest32 = 0xffff_ffff
const highest63 = 2n ** 63n - 1n
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Reads the arguments of a received command, each octet once. */
export class Parser implements Arguments {
  readonly #text: string
  readonly #literals: readonly Octets[]
  readonly #usesUtf8: boolean
  #at: number
  #literal = 0
  #depth = 0
  givenName = ''

  /** @param usesUtf8 names of mailboxes are in UTF-8 (RFC 9051, section 5.1; RFC 6855), else in modified UTF-7 */
  constructor({ text, literals }: Received, usesUtf8: boolean, start = 0) {
    this.#text = text
    this.#literals = literals
    this.#usesUtf8 = usesUtf8
    this.#at = start
  }

  /** Where the next character stands. */
  get at(): number {
    return this.#at
  }

  /** Several spaces are as good as one, as programs may write them and other servers read them. */
  space(): void {
    if (!this.take(' ')) throw new Bad('A space is missing between arguments')
    while (this.take(' '));
  }

  take(character: string): boolean {
    if (!this.isNext(character)) return false
    this.#at += 1
    return true
  }

  isNext(character: string): boolean {
    return this.#text[this.#at] === character
  }

  /** Spaces at the end are ignored, as other servers do. */
  isAtEnd(): boolean {
    let at = this.#at
    while (this.#text[at] === ' ') at++
    return at === this.#text.length
  }

  end(): void {
    if (!this.isAtEnd()) throw new Bad('The command has more arguments than it may have')
  }

  atom(): string {
    return this.#characters(isAtomChar, 'An atom')
  }

  word(): string {
    return this.atom().toUpperCase()
  }

  upTo(ends: string): string {
    const start = this.#at
    for (let next = this.#text[start]; next && next !== LITERAL && !ends.includes(next); next = this.#text[this.#at])
      this.#at += 1
    return asciiUpperCase(this.#text.slice(start, this.#at))
  }

  number(): number {
    const digits = this.#digits()
    const value = Number(digits)
    if (value > highest32) throw new Bad('A number has more than 32 bits')
    return value
  }

  nzNumber(): number {
    const value = this.number()
    if (value === 0) throw new Bad('A number must be above 0')
    return value
  }

  /** What lies above the numbers that JavaScript has exactly is read as the highest of them: no message has such a sequence. */
  number64(): number {
    const digits = this.#digits().replace(/^0+(?=\d)/, '')
    if (digits.length > 19 || BigInt(digits) > highest63) throw new Bad('A number has more than 63 bits')
    return Math.min(Number(digits), Number.MAX_SAFE_INTEGER)
  }

  astring(): string {
    return this.#isString() ? this.string() : this.#characters(isAstringChar, 'A string')
  }

  string(): string {
    return this.#decoded(this.#stringOctets())
  }

  nstring(): string | undefined {
    if (this.#isString()) return this.string()
    if (this.word() !== 'NIL') throw new Bad('Expected a string or NIL')
    return undefined
  }

  octets(): Octets {
    if (this.isNext(LITERAL)) return this.#nextLiteral()
    return { bytes: Buffer.from(this.#quoted(), 'latin1'), isBinary: false }
  }

  /** Throws `No` with CANNOT for a name that is not in the encoding of names. */
  mailbox(): string {
    const given = this.#isString() ? this.#stringOctets() : this.#characters(isMailboxChar, 'A mailbox name')
    const name = this.#usesUtf8 ? this.#decoded(given) : fromUtf7(given)
    if (!name.isWellFormed() || name.includes('\0')) throw notAName()
    this.givenName = name
    return /^inbox$/i.test(name) ? 'INBOX' : normalized(name, 'NFC')
  }

  sequenceSet(): SequenceSet {
    if (this.take('$')) return '$'
    const { set, end } = readSequenceSet(this.#text, this.#at)
    this.#at = end
    return set
  }

  flag(): string {
    const mark = this.take('\\') ? '\\' : ''
    return mark + this.#characters(isAtomChar, 'A flag')
  }

  dateTime(): Date {
    const date = readDateTime(this.string())
    if (!date) throw new Bad('A date-time is like "17-Jul-1996 02:44:25 -0700"')
    return date
  }

  list<T>(one: () => T): T[] {
    if (!this.take('(')) throw new Bad('Expected a list in parentheses')
    const all: T[] = []
    while (this.take(' '));
    while (!this.take(')')) {
      all.push(this.nested(one))
      if (!this.isNext(')')) this.space()
    }
    return all
  }

  nested<T>(one: () => T): T {
    if (this.#depth === deepest) throw new Bad(`Arguments are nested more than ${deepest} deep`)
    this.#depth += 1
    const read = one()
    this.#depth -= 1
    return read
  }

  #isString(): boolean {
    return this.isNext('"') || this.isNext(LITERAL)
  }

  /** A quoted string or literal, each octet a character. */
  #stringOctets(): string {
    if (!this.isNext(LITERAL)) return this.#quoted()
    const { bytes } = this.#nextLiteral()
    if (bytes.includes(0)) throw new Bad('A string contains NUL')
    return bytes.toString('latin1')
  }

  #nextLiteral(): Octets {
    const literal = this.#literals[this.#literal]
    if (!literal) throw new Error('the text names more literals than there are')
    this.#at += 1
    this.#literal += 1
    return literal
  }

  /** Any character may stand behind a backslash, as other servers have it. */
  #quoted(): string {
    if (!this.take('"')) throw new Bad('Expected a string')
    const parts: string[] = []
    for (let start = this.#at; ; this.#at++) {
      const character = this.#text[this.#at]
      if (character === undefined || character === LITERAL) throw new Bad('A quoted string has no end')
      if (character !== '"' && character !== '\\') continue
      parts.push(this.#text.slice(start, this.#at))
      this.#at += 1
      if (character === '"') return parts.join('')
      start = this.#at
      if (this.isNext(LITERAL)) throw new Bad('A quoted string has no end')
    }
  }

  #characters(isOf: CharacterClass, what: string): string {
    const start = this.#at
    while (isOf(this.#text.charCodeAt(this.#at))) this.#at += 1
    if (this.#at === start) throw new Bad(`${what} is missing`)
    return this.#text.slice(start, this.#at)
  }

  #digits(): string {
    const start = this.#at
    while (this.#text.charCodeAt(this.#at) >= 0x30 && this.#text.charCodeAt(this.#at) <= 0x39) this.#at += 1
    if (this.#at === start) throw new Bad('A number is missing')
    return this.#text.slice(start, this.#at)
  }

  #decoded(octets: string): string {
    if (!/[^\x00-\x7f]/.test(octets)) return octets
    try {
      return utf8.decode(Buffer.from(octets, 'latin1'))
    } catch {
      throw new Bad('A string is not in UTF-8')
    }
  }
}

/** Other forms of the same name are refused, as other servers do: a client would not find its name in a list. */
function fromUtf7(encoded: string): string {
  const name = decodeUtf7(encoded)
  if (encodeUtf7(name) !== encoded) throw notAName()
  return name
}

function notAName(): No {
  return new No('The mailbox name is not in the encoding of mailbox names', 'CANNOT')
}

function asciiUpperCase(text: string): string {
  return text.replace(/[a-z]+/g, (run) => run.toUpperCase())
}
