import { codePoints } from '#/base/text/text.ts'

/** The offset at which a text stops being JSON (RFC 8259), and what is expected there. */
export interface JsonSyntaxError {
  /** Both from 1; a column is a code point. */
  readonly line: number
  readonly column: number
  /** The character there; undefined at the end of the text. */
  readonly found: string | undefined
  readonly wanted: string
}

/** Undefined for valid JSON. `JSON.parse` gives a position for some errors only, and quotes the input. */
export function findJsonSyntaxError(text: string): JsonSyntaxError | undefined {
  const scan = new Scan(text)
  if (scan.isJson()) return undefined
  const code = text.codePointAt(scan.at)
  const found = code === undefined ? undefined : String.fromCodePoint(code)
  return { ...place(text.slice(0, scan.at)), found, wanted: scan.wanted }
}

function place(before: string): { line: number; column: number } {
  let line = 1
  let start = 0
  for (const end of before.matchAll(/\r\n|[\r\n]/g)) {
    line += 1
    start = end.index + end[0].length
  }
  return { line, column: codePoints(before.slice(start)) + 1 }
}

const value = 'a value'
const firstValue = 'a value or ]'
const name = 'a name in double quotes'
const firstName = 'a name in double quotes or }'
const colon = 'a colon'
const end = 'the end'

const literal = /true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const blank = /[ \t\n\r]*/y
const plain = /[^"\\\u0000-\u001f]*/y
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

/** Not recursive: a body may be nested a million levels deep. */
class Scan {
  at = 0
  wanted = value
  readonly #text: string
  /** The closing brackets of open arrays and objects. */
  readonly #open: string[] = []

  constructor(text: string) {
    this.#text = text
  }

  /** If false, `at` is the position of the error. */
  isJson(): boolean {
    this.#skip(blank)
    while (this.at < this.#text.length) {
      if (!this.#step()) return false
      this.#skip(blank)
    }
    return this.wanted === end
  }

  #step(): boolean {
    const sign = this.#text[this.at] ?? ''
    switch (this.wanted) {
      case value:
        return this.#value(sign)
      case firstValue:
        return this.#close(sign) || this.#value(sign)
      case name:
        return this.#string(sign, colon)
      case firstName:
        return this.#close(sign) || this.#string(sign, colon)
      case colon:
        return this.#sign(sign === ':', value)
      default:
        return this.#close(sign) || this.#sign(sign === ',' && this.#open.length > 0, this.#inArray() ? value : name)
    }
  }

  #value(sign: string): boolean {
    if (sign === '"') return this.#string(sign, this.#after())
    if (sign === '[' || sign === '{') {
      this.#open.push(sign === '[' ? ']' : '}')
      return this.#sign(true, sign === '[' ? firstValue : firstName)
    }
    const from = this.at
    this.#skip(literal)
    if (this.at === from) return false
    this.wanted = this.#after()
    return true
  }

  #string(sign: string, next: string): boolean {
    if (sign !== '"') return false
    this.at += 1
    for (let from = -1; this.at > from; ) {
      from = this.at
      this.#skip(plain)
      this.#skip(escaped)
    }
    this.wanted = 'the end of the string, without line breaks or other control characters'
    if (this.#text[this.at] === '\\') this.wanted = 'an escape that JSON has'
    return this.#sign(this.#text[this.at] === '"', next)
  }

  #close(sign: string): boolean {
    if (sign === '' || sign !== this.#open.at(-1)) return false
    this.#open.pop()
    return this.#sign(true, this.#after())
  }

  #sign(isThere: boolean, next: string): boolean {
    if (!isThere) return false
    this.at += 1
    this.wanted = next
    return true
  }

  #after(): string {
    const closer = this.#open.at(-1)
    return closer === undefined ? end : `a comma or ${closer}`
  }

  #inArray(): boolean {
    return this.#open.at(-1) === ']'
  }

  #skip(pattern: RegExp): void {
    pattern.lastIndex = this.at
    this.at += pattern.exec(this.#text)?.[0].length ?? 0
  }
}
