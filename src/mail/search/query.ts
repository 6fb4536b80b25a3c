import type { Refusal } from '#/base/errors.ts'
import { invalid } from '#/base/errors.ts'
import { codePoints } from '#/base/text/text.ts'
import type { SearchField, SearchTree } from '#/mail/search-index/query.ts'
import { queryWords } from '#/mail/search-index/words.ts'
import { isOperator, operators, readOperand } from './operators.ts'

/** In code points. */
export const longestQuery = 1_000
const mostTerms = 50
const deepest = 10

export interface Parsed {
  readonly tree: SearchTree
  /** The labels in it, and their places. */
  readonly labels: ReadonlyMap<string, number>
}

/** A mistake in a query, at an index into its text. */
export function mistake(query: string, at: number, what: string): Refusal {
  return invalid('q', `${what} (character ${codePoints(query.slice(0, at)) + 1} of q)`)
}

/**
 * Reads a query (docs/reference/search.md): terms that must all hold. `OR` joins the terms beside it before that, `-` is for
 * the term after it.
 * @throws Refusal with the place of the mistake
 */
export function parseQuery(query: string): Parsed {
  return new Parser(query).parse()
}

/** A query in normal form. */
export function printQuery(tree: SearchTree): string {
  switch (tree.kind) {
    case 'all':
      return tree.of.map((one) => (one.kind === 'all' ? `(${printQuery(one)})` : printQuery(one))).join(' ')
    case 'either':
      return tree.of.map(grouped).join(' OR ')
    case 'not':
      return `-${grouped(tree.of)}`
    case 'text':
      return `${tree.field === 'any' ? '' : `${tree.field}:`}"${tree.text}"`
    case 'label':
      return `label:"${tree.keyword}"`
    case 'folder':
      return tree.name === null ? 'in:anywhere' : `in:"${tree.name}"`
    case 'attachment':
      return 'has:attachment'
    case 'unread':
    case 'starred':
      return `is:${tree.kind}`
    case 'before':
    case 'after':
      return `${tree.kind}:${tree.day}`
    case 'older_than':
    case 'newer_than':
      return `${tree.kind}:${tree.amount}${tree.unit}`
    case 'larger':
    case 'smaller':
      return `${tree.kind}:${tree.bytes}`
    case 'message_id':
      return `message_id:"${tree.id}"`
  }
}

function grouped(tree: SearchTree): string {
  return tree.kind === 'all' || tree.kind === 'either' ? `(${printQuery(tree)})` : printQuery(tree)
}

class Parser {
  readonly #query: string
  readonly #labels = new Map<string, number>()
  #at = 0
  #terms = 0

  constructor(query: string) {
    this.#query = query
  }

  parse(): Parsed {
    if (codePoints(this.#query) > longestQuery) {
      throw invalid('q', `q can be at most ${longestQuery} characters long`)
    }
    const tree = this.#all('any', 0)
    if (this.#at < this.#query.length) throw this.#mistake('A bracket is closed that is not open')
    return { tree, labels: this.#labels }
  }

  /** Up to the end, or to a bracket that closes. */
  #all(field: SearchField, depth: number): SearchTree {
    const of: SearchTree[] = []
    while (!this.#atEnd()) {
      if (of.length > 0 && this.#takeWord('AND') && this.#atEnd()) throw this.#mistake('AND needs a term on each side')
      of.push(this.#either(field, depth))
    }
    const [only] = of
    if (!only) throw this.#mistake('A term is missing')
    return of.length === 1 ? only : { kind: 'all', of }
  }

  #either(field: SearchField, depth: number): SearchTree {
    const of = [this.#one(field, depth)]
    while (this.#takeWord('OR')) {
      if (this.#atEnd()) throw this.#mistake('OR needs a term on each side')
      of.push(this.#one(field, depth))
    }
    const [only] = of
    return only && of.length === 1 ? only : { kind: 'either', of }
  }

  #one(field: SearchField, depth: number): SearchTree {
    if (depth > deepest) throw this.#mistake(`Brackets and - can be at most ${deepest} deep`)
    this.#skipSpace()
    const start = this.#at
    if (this.#take('-')) {
      if (/^(?:\s|\)|$)/.test(this.#rest())) throw this.#mistake('- needs a term right after it', start)
      return { kind: 'not', of: this.#one(field, depth + 1) }
    }
    if (this.#take('(')) return this.#group(field, depth, start)
    if (this.#takeWord('OR')) throw this.#mistake('OR needs a term on each side', start)
    if (this.#takeWord('AND')) throw this.#mistake('AND needs a term on each side', start)
    if (++this.#terms > mostTerms) throw this.#mistake(`A query can have at most ${mostTerms} terms`, start)
    const [named, name] = /^([a-z_]+):(?!\/)/i.exec(this.#rest()) ?? []
    if (named === undefined || name === undefined) return this.#text(field, this.#value(), start)
    return this.#operator(name.toLowerCase(), named.length, { field, depth, start })
  }

  #operator(
    name: string,
    length: number,
    { field, depth, start }: { field: SearchField; depth: number; start: number },
  ): SearchTree {
    if (!isOperator(name)) {
      throw this.#mistake(`There is no ${name}: in a search; to look for it, write it in quotation marks`, start)
    }
    if (field !== 'any') throw this.#mistake(`${name}: cannot stand in the brackets of ${field}:`, start)
    this.#at += length
    const inField = operators[name]
    if (inField !== undefined && this.#take('(')) return this.#group(inField, depth, this.#at - 1)
    const at = this.#at
    const value = this.#value()
    if (value === '') throw this.#mistake(`${name}: needs a value right after it`, at)
    if (inField !== undefined) return this.#text(inField, value, at)
    const read = readOperand(name, value)
    if (typeof read === 'string') throw this.#mistake(read, at)
    if (read.kind === 'label' && !this.#labels.has(read.keyword)) this.#labels.set(read.keyword, at)
    return read
  }

  /** After its first bracket. */
  #group(field: SearchField, depth: number, start: number): SearchTree {
    const tree = this.#all(field, depth + 1)
    if (!this.#take(')')) throw this.#mistake('A bracket is not closed', start)
    return tree
  }

  #text(field: SearchField, text: string, at: number): SearchTree {
    if (queryWords(text).length === 0) throw this.#mistake('There is no letter or digit to look for', at)
    return { kind: 'text', field, text }
  }

  /** A text in quotation marks, or up to a space, a bracket or a quotation mark. */
  #value(): string {
    const start = this.#at
    if (!this.#take('"')) {
      const [value = ''] = /^[^\s()"]*/.exec(this.#rest()) ?? []
      this.#at += value.length
      return value
    }
    const end = this.#query.indexOf('"', this.#at)
    if (end < 0) throw this.#mistake('A quotation mark is not closed', start)
    const value = this.#query.slice(this.#at, end)
    this.#at = end + 1
    return value
  }

  #atEnd(): boolean {
    this.#skipSpace()
    return this.#at >= this.#query.length || this.#query[this.#at] === ')'
  }

  #take(sign: string): boolean {
    const there = this.#query.startsWith(sign, this.#at)
    if (there) this.#at += sign.length
    return there
  }

  /** A word alone. */
  #takeWord(word: string): boolean {
    this.#skipSpace()
    const rest = this.#rest()
    const there = rest.startsWith(word) && /^(?:[\s()"]|$)/.test(rest.slice(word.length))
    if (there) this.#at += word.length
    return there
  }

  #skipSpace(): void {
    this.#at += /^\s*/.exec(this.#rest())?.[0].length ?? 0
  }

  #rest(): string {
    return this.#query.slice(this.#at)
  }

  #mistake(what: string, at = this.#at): Refusal {
    return mistake(this.#query, at, what)
  }
}
