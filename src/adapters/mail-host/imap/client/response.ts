import { literalAt } from './response-splitter.ts'

/** An atom or number is a string, a quoted string or literal a Buffer, NIL null. */
export type Token = string | Buffer | null | Token[]

/** A server response (RFC 9051, section 7). Names and codes are in upper case. */
export type Response =
  | { readonly kind: 'continue' }
  | {
      readonly kind: 'status'
      /** Undefined if it belongs to no command. */
      readonly tag: string | undefined
      readonly status: string
      /** The response code in brackets; its name comes first. */
      readonly code: readonly Token[]
      readonly text: string
    }
  | {
      readonly kind: 'data'
      readonly name: string
      /** As in `* 12 EXISTS`. */
      readonly number: number
      readonly values: readonly Token[]
    }

export type Data = Extract<Response, { kind: 'data' }>
export type Status = Extract<Response, { kind: 'status' }>

/** The deepest nesting. Real structures nest as deep as messages do: some tens. */
const deepest = 200

/** The lists around the items of a FETCH response. */
const itemDepth = 1

const SPACE = 0x20
const QUOTE = 0x22
const OPEN_LIST = 0x28
const CLOSE_LIST = 0x29
const OPEN_LITERAL = 0x7b
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const BACKSLASH = 0x5c

const statuses = new Set(['OK', 'NO', 'BAD', 'BYE', 'PREAUTH'])

/** Parses one response. Throws if it is none. */
export function readResponse(bytes: Buffer): Response {
  if (bytes[0] === 0x2b) return { kind: 'continue' }
  const reader = new TokenReader(bytes)
  const tag = reader.word()
  const first = reader.word().toUpperCase()
  if (statuses.has(first)) return readStatus(reader, tag === '*' ? undefined : tag, first)
  if (tag !== '*') throw malformed(bytes)
  if (/^\d+$/.test(first)) {
    return { kind: 'data', number: Number(first), name: reader.word().toUpperCase(), values: reader.rest() }
  }
  return { kind: 'data', number: 0, name: first, values: reader.rest() }
}

function readStatus(reader: TokenReader, tag: string | undefined, status: string): Status {
  const code = reader.code()
  const [name] = code
  if (typeof name === 'string') code[0] = name.toUpperCase()
  return { kind: 'status', tag, status, code, text: reader.text() }
}

class TokenReader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** Up to the next space. */
  word(): string {
    const end = this.#bytes.indexOf(SPACE, this.#at)
    const word = this.#bytes.toString('latin1', this.#at, end < 0 ? this.#bytes.length : end)
    this.#at = end < 0 ? this.#bytes.length : end + 1
    return word
  }

  text(): string {
    return this.#bytes.toString('latin1', this.#at).trim()
  }

  rest(): Token[] {
    const values: Token[] = []
    while (this.#at < this.#bytes.length) {
      if (this.#bytes[this.#at] === SPACE) this.#at++
      else values.push(this.#token(0))
    }
    return values
  }

  /** The response code in brackets here, if there is one. */
  code(): Token[] {
    if (this.#bytes[this.#at] !== OPEN_BRACKET) return []
    this.#at++
    return this.#until(CLOSE_BRACKET, itemDepth + 1)
  }

  #until(close: number, depth: number): Token[] {
    const values: Token[] = []
    for (;;) {
      const byte = this.#bytes[this.#at]
      if (byte === undefined) throw malformed(this.#bytes)
      if (byte === close) {
        this.#at++
        return values
      }
      if (byte === SPACE) this.#at++
      else values.push(this.#token(depth, close))
    }
  }

  #token(depth: number, close = CLOSE_LIST): Token {
    const byte = this.#bytes[this.#at]
    if (byte === OPEN_LIST) {
      if (depth === deepest) throw malformed(this.#bytes)
      this.#at++
      return this.#until(CLOSE_LIST, depth + 1)
    }
    if (byte === QUOTE) return this.#quoted()
    if (byte === OPEN_LITERAL || (byte === 0x7e && this.#bytes[this.#at + 1] === OPEN_LITERAL)) return this.#literal()
    return this.#atom(close, depth)
  }

  /** Also, among the items of FETCH, a section with spaces and parentheses in its brackets: `BODY[HEADER.FIELDS (FROM)]`.
   *  Elsewhere a bracket is an ordinary character, of a folder's name or a keyword. */
  #atom(close: number, depth: number): string | null {
    const start = this.#at
    let at = start
    let within = false
    for (; at < this.#bytes.length; at++) {
      const byte = this.#bytes[at]
      if (within) within = byte !== CLOSE_BRACKET
      else if (byte === OPEN_BRACKET && depth === itemDepth) within = true
      else if (byte === SPACE || byte === OPEN_LIST || byte === CLOSE_LIST || byte === close) break
    }
    if (at === start) throw malformed(this.#bytes)
    this.#at = at
    const atom = this.#bytes.toString('latin1', start, at)
    return atom.length === 3 && atom.toUpperCase() === 'NIL' ? null : atom
  }

  #quoted(): Buffer {
    const start = this.#at + 1
    let escaped = false
    let at = start
    for (; at < this.#bytes.length && this.#bytes[at] !== QUOTE; at++) {
      if (this.#bytes[at] !== BACKSLASH) continue
      escaped = true
      at++
    }
    if (at >= this.#bytes.length) throw malformed(this.#bytes)
    this.#at = at + 1
    const bytes = this.#bytes.subarray(start, at)
    return escaped ? Buffer.from(bytes.toString('latin1').replace(/\\(.)/gs, '$1'), 'latin1') : bytes
  }

  #literal(): Buffer {
    const lineEnd = this.#bytes.indexOf(0x0a, this.#at)
    const textEnd = this.#bytes[lineEnd - 1] === 0x0d ? lineEnd - 1 : lineEnd
    const length = lineEnd < 0 ? undefined : literalAt(this.#bytes, this.#at - 1, textEnd)
    if (length === undefined || lineEnd + 1 + length > this.#bytes.length) throw malformed(this.#bytes)
    this.#at = lineEnd + 1 + length
    return this.#bytes.subarray(lineEnd + 1, this.#at)
  }
}

/** Shows only the beginning: the rest may be mail. */
function malformed(bytes: Buffer): Error {
  return new Error(
    `The mail server said something that is not IMAP: ${JSON.stringify(bytes.toString('latin1', 0, 20))}`,
  )
}

/** The attributes of a FETCH response by name, in upper case. */
export function attributes(data: Data): Map<string, Token> {
  const [list] = data.values
  const found = new Map<string, Token>()
  if (!Array.isArray(list)) return found
  for (let at = 0; at + 1 < list.length; at += 2) {
    const [name, value] = [list[at], list[at + 1]]
    if (typeof name === 'string' && value !== undefined) found.set(name.toUpperCase(), value)
  }
  return found
}

/** A number; 0 if it is none. */
export function numberOf(token: Token | undefined): number {
  return typeof token === 'string' && /^\d{1,19}$/.test(token) ? Number(token) : 0
}

export function bytesOf(token: Token | undefined): Buffer | undefined {
  if (token instanceof Buffer) return token
  return typeof token === 'string' ? Buffer.from(token, 'latin1') : undefined
}

export function textOf(token: Token | undefined): string {
  return bytesOf(token)?.toString('utf8') ?? ''
}

/** The atoms of a list. */
export function atomsOf(token: Token | undefined): string[] {
  return Array.isArray(token) ? token.filter((one) => typeof one === 'string') : []
}
