import { hasText } from '#/base/text/find-text.ts'
import { foldText } from '#/base/text/word-fold.ts'
import { addressText } from '../address/address.ts'
import { readAddressList } from '../address/address-list.ts'
import { readWrittenDate } from '../header/date.ts'
import { type Headers, readHeaders } from '../header/headers.ts'
import { htmlToText } from './html-text.ts'
import type { Part } from './part.ts'
import { partText } from './part-text.ts'
import { leaves, readStructure } from './structure.ts'
import { decodePart } from './transfer-encoding.ts'

/** What IMAP's SEARCH looks for in a message. Texts are folded (src/base/text/word-fold.ts). */
export type Sought =
  /** In all texts of the body; `text` also in the fields that people read. */
  | { readonly in: 'text' | 'body'; readonly text: string }
  /** In the fields of a name, decoded. An empty text is in each. */
  | { readonly in: 'header'; readonly name: string; readonly text: string }
  /** In a name with its address, or the name of a group. */
  | { readonly in: 'addresses'; readonly name: string; readonly text: string }
  | { readonly in: 'subject'; readonly text: string }
  /** The day in the Date field as it is written there, from a time and before one. */
  | { readonly in: 'date'; readonly from?: number | undefined; readonly before?: number | undefined }

/** Enclosed messages within each other. Real mail has one or two. */
const deepest = 8

/** Whether a message holds each of these. A header without a body will do unless it is in the
 *  body that something is sought. Never throws, and takes time linear in the message for each. */
export function holdsTexts(raw: Buffer, sought: readonly Sought[]): boolean[] {
  const texts = new Texts(raw)
  return sought.map((one) => texts.holds(one))
}

/** All texts in which `text` is sought, in their order, for an index. */
export interface AllTexts {
  readonly body: readonly string[]
  readonly fields: readonly string[]
  /** False if the message has more than is read. */
  readonly complete: boolean
}

/** Characters of all texts, of which the rest of a message is left out. */
const mostText = 1 << 20

/** Never throws, and takes bounded time. */
export function allTexts(raw: Buffer): AllTexts {
  const { headers, bodyStart } = readHeaders(raw)
  const root = readStructure(raw, headers, bodyStart)
  let left = mostText
  const taken = (texts: Iterable<string>) => {
    const all: string[] = []
    for (const text of texts) {
      if (left > 0) all.push(text.slice(0, left).toWellFormed())
      left -= text.length
      if (left < 0) break
    }
    return all
  }
  const [fields, body] = [taken(shownTexts(headers, root)), taken(bodyTexts(raw, root))]
  return { fields, body, complete: left >= 0 && headers.complete }
}

class Texts {
  readonly #raw: Buffer
  readonly #headers: Headers
  readonly #root: Part
  #shown: readonly string[] | undefined
  #body: readonly string[] | undefined

  constructor(raw: Buffer) {
    const { headers, bodyStart } = readHeaders(raw)
    this.#raw = raw
    this.#headers = headers
    // Also sets the charset of the header.
    this.#root = readStructure(raw, headers, bodyStart)
  }

  holds(sought: Sought): boolean {
    const headers = this.#headers
    if (sought.in === 'date') {
      const at = readWrittenDate(headers.last('date') ?? '')?.getTime()
      if (at === undefined) return false
      return at >= (sought.from ?? Number.NEGATIVE_INFINITY) && at < (sought.before ?? Number.POSITIVE_INFINITY)
    }
    const isIn = (text: string) => hasText(foldText(text), sought.text)
    const isInFolded = (text: string) => hasText(text, sought.text)
    switch (sought.in) {
      case 'subject':
        return isIn(headers.text('subject'))
      case 'addresses':
        return addressTexts(headers, sought.name).some(isIn)
      case 'header':
        return headers.fields.some((field) => field.name === sought.name && isIn(headers.textOf(field)))
      case 'text':
        this.#shown ??= Array.from(shownTexts(headers, this.#root), foldText)
        return this.#shown.some(isInFolded) || this.#bodies().some(isInFolded)
      case 'body':
        return this.#bodies().some(isInFolded)
    }
  }

  #bodies(): readonly string[] {
    this.#body ??= [...bodyTexts(this.#raw, this.#root)].map(foldText)
    return this.#body
  }
}

/** The fields that people read, and names of files. */
function* shownTexts(headers: Headers, root: Part): Generator<string> {
  for (const field of headers.fields) if (shown.has(field.name)) yield headers.textOf(field)
  for (const name of ['from', 'sender', 'reply-to', 'to', 'cc', 'bcc']) yield* addressTexts(headers, name)
  for (const { leaf } of leaves(root)) if (leaf.filename !== null) yield leaf.filename
}

/** Not those that servers write for servers: traces, signatures and results. HEADER finds these. */
const shown: ReadonlySet<string> = new Set(
  'subject from sender reply-to to cc bcc comments keywords organization list-id'.split(' '),
)

/** All texts of the body: quoted ones and signatures, what is attached as text, and both forms of an alternative. */
function* bodyTexts(raw: Buffer, root: Part, depth = 0): Generator<string> {
  for (const { leaf } of leaves(root)) {
    if (leaf.type === 'text/html') yield htmlToText(partText(raw, leaf))
    else if (leaf.type === 'message/rfc822' || leaf.type === 'message/global') yield* enclosedTexts(raw, leaf, depth)
    else if (leaf.type.startsWith('text/') || leaf.type.startsWith('message/')) yield partText(raw, leaf)
  }
}

function* enclosedTexts(raw: Buffer, leaf: Part, depth: number): Generator<string> {
  if (depth === deepest) return
  const enclosed = decodePart(raw, leaf)
  const { headers, bodyStart } = readHeaders(enclosed)
  const root = readStructure(enclosed, headers, bodyStart)
  yield* shownTexts(headers, root)
  yield* bodyTexts(enclosed, root, depth + 1)
}

function addressTexts(headers: Headers, name: string): string[] {
  const { addresses, groups } = readAddressList(headers.all(name).join(',\n'))
  return [...groups, ...addresses.map(addressText)]
}
