import { type TransferDecoder, transferDecoder } from '#/formats/mime/body/transfer-decoder.ts'
import type { Entity } from '#/formats/mime/entity/entity.ts'
import type { SectionItem } from './items.ts'
import type { MessageSource } from './message-source.ts'
import type { ResponseWriter } from './response-writer.ts'
import { partAt, type Range, rangeOf, type Section } from './section.ts'

/** Nobody knows how the part is encoded (RFC 3516, section 4.3): the item is left out, and the command is refused at its end. */
export class UnknownEncoding extends Error {}

const nothing: Range = { start: 0, end: 0 }

/** Writes an item of octets with its name. A part that the message does not have is empty, as Dovecot tells it. Throws
 *  `UnknownEncoding`, with nothing written. */
export async function writeSection(writer: ResponseWriter, source: MessageSource, item: SectionItem): Promise<void> {
  const { section } = item
  if (item.as !== 'octets') await writeDecoded(writer, source, item)
  else if (section.what === 'fields' || section.what === 'other fields') await writeFields(writer, source, item)
  else {
    const all = (await whereIs(source, section)) ?? nothing
    const range = cut(all, item)
    writer.add(`${item.name} `)
    const octets = item.partial ? source.piece(range, all.end) : source.octets(range)
    await writer.literal(range.end - range.start, octets)
  }
}

async function whereIs(source: MessageSource, section: Section): Promise<Range | undefined> {
  if (section.path.length > 0) return rangeOf(await source.entity(), section)
  if (section.what === 'all') return { start: 0, end: source.size }
  const header = await source.header()
  return section.what === 'text' ? { start: header.end, end: source.size } : header
}

function cut({ start, end }: Range, { partial }: SectionItem): Range {
  if (!partial) return { start, end }
  const from = Math.min(start + partial.from, end)
  return { start: from, end: Math.min(from + partial.count, end) }
}

/** The fields that are named, or all others, and the empty line (RFC 9051, section 6.4.5.1). */
async function writeFields(writer: ResponseWriter, source: MessageSource, item: SectionItem): Promise<void> {
  const { path, what, fields } = item.section
  const range =
    path.length > 0 ? rangeOf(await source.entity(), { ...item.section, what: 'header' }) : await source.header()
  const chosen = range ? await fieldsOf(source, range, fields, what === 'fields') : Buffer.alloc(0)
  const { start, end } = cut({ start: 0, end: chosen.length }, item)
  writer.add(`${item.name} `)
  await writer.literal(end - start, only(chosen.subarray(start, end)))
}

async function fieldsOf(
  source: MessageSource,
  range: Range,
  names: readonly string[],
  isNamed: boolean,
): Promise<Buffer> {
  const { headers, bytes } = await source.headerOctets(range)
  const wanted = new Set(names.map((name) => name.toLowerCase()))
  const chosen = headers.fields.slice(0, headers.certain).filter(({ name }) => wanted.has(name) === isNamed)
  const lines = chosen.flatMap(({ start, end }) => [bytes.subarray(start, end), lineBreak])
  return Buffer.concat([...lines, lineBreak])
}

const lineBreak = Buffer.from('\r\n')

async function* only(bytes: Buffer): AsyncGenerator<Buffer> {
  if (bytes.length > 0) yield bytes
}

/** A leaf is decoded; what holds others has no encoding of its own (RFC 9051, section 6.4.5). */
async function writeDecoded(writer: ResponseWriter, source: MessageSource, item: SectionItem): Promise<void> {
  const { section, as, name } = item
  const part = section.path.length > 0 ? partAt(await source.entity(), section.path) : undefined
  const isLeaf = part !== undefined && part.parts.length === 0 && !part.message
  const decoder = isLeaf ? decoderOf(part) : undefined
  const range = section.path.length > 0 ? (part ?? nothing) : { start: 0, end: source.size }
  const length = decoder && part ? await lengthOf(source, part) : range.end - range.start
  if (as === 'decoded length') {
    writer.add(`${name} ${length}`)
    return
  }
  const { start, end } = cut({ start: 0, end: length }, item)
  const octets = decoder
    ? between(decoded(source.octets(range), decoder), start, end)
    : source.octets({ start: range.start + start, end: range.start + end })
  writer.add(`${name} `)
  await writer.literal(end - start, octets, end > start && isLeaf)
}

function decoderOf({ encoding }: Entity): TransferDecoder {
  const decoder = transferDecoder(encoding)
  if (!decoder) throw new UnknownEncoding()
  return decoder
}

/** Known of large messages. */
async function lengthOf(source: MessageSource, part: Entity): Promise<number> {
  if (part.decoded !== null) return part.decoded
  let length = 0
  for await (const piece of decoded(source.octets(part), decoderOf(part))) length += piece.length
  return length
}

async function* decoded(pieces: AsyncIterable<Buffer>, decoder: TransferDecoder): AsyncGenerator<Buffer> {
  for await (const piece of pieces) yield decoder.decode(piece)
  yield decoder.end()
}

/** The octets from `start` up to, not including, `end`. No more pieces are read than it takes. */
async function* between(pieces: AsyncIterable<Buffer>, start: number, end: number): AsyncGenerator<Buffer> {
  let at = 0
  if (start >= end) return
  for await (const piece of pieces) {
    const part = piece.subarray(Math.max(0, start - at), Math.max(0, end - at))
    if (part.length > 0) yield part
    at += piece.length
    if (at >= end) return
  }
}
