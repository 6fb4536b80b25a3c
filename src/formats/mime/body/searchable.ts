import type { Address } from '../address/address.ts'
import { parseAddresses } from '../address/address-list.ts'
import { type Headers, readHeaders } from '../header/headers.ts'
import { sortParts } from './content.ts'
import { htmlToText } from './html-text.ts'
import type { Part } from './part.ts'
import { partText } from './part-text.ts'
import type { Piece } from './pieces.ts'
import { newHtml } from './quoted/new-html.ts'
import { newText } from './quoted/new-text.ts'
import { readStructure } from './structure.ts'

/** The searchable texts of each field, one by one. */
export interface Searchable {
  readonly subject: readonly string[]
  /** From and Sender, names and addresses. */
  readonly from: readonly string[]
  readonly to: readonly string[]
  readonly cc: readonly string[]
  readonly filename: readonly string[]
  /** The message's own text, without quoted text and signature. */
  readonly text: readonly string[]
}

/** Of addresses in a field, and of file names. */
const mostValues = 100
const mostParts = 10
/** Encoded bytes that are read of a part, and characters of the whole text. */
const mostBytes = 512 * 1024
const mostText = 128 * 1024

/** Never throws, and takes bounded time. */
export function readSearchable(raw: Buffer): Searchable {
  const { headers, bodyStart } = readHeaders(raw)
  const { pieces, attached } = sortParts(readStructure(raw, headers, bodyStart))
  const subject = headers.text('subject')
  const names = attached.flatMap(({ part }) => part.filename ?? [])
  const texts: string[] = []
  let left = mostText
  for (const piece of pieces.slice(0, mostParts)) {
    const read = textOf(raw, piece, left)
    if (read !== '') texts.push(read)
    left -= read.length
    if (left <= 0) break
  }
  return {
    subject: subject === '' ? [] : [subject],
    from: [...addressesIn(headers, 'from'), ...addressesIn(headers, 'sender')].slice(0, 2 * mostValues),
    to: addressesIn(headers, 'to'),
    cc: addressesIn(headers, 'cc'),
    filename: names.slice(0, mostValues),
    text: texts,
  }
}

/** Of the HTML if the text is empty, as some programs send it. */
function textOf(raw: Buffer, { text, html }: Piece, most: number): string {
  const read = (parts: readonly Part[]) => parts.slice(0, mostParts).map((part) => partText(raw, part, mostBytes))
  const written = read(text)
  const texts = written.some((one) => one.trim() !== '')
    ? written.map(newText)
    : read(html).map((one) => newText(htmlToText(newHtml(one), most)))
  return texts.join('\n').slice(0, most).toWellFormed()
}

function addressesIn(headers: Headers, name: string): string[] {
  return parseAddresses(headers.all(name).join(',\n')).slice(0, mostValues).flatMap(textsOf)
}

function textsOf({ name, address }: Address): string[] {
  return [name, address].filter((text) => text !== '')
}
