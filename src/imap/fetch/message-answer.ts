import { publicId } from '#/base/text/message-id.ts'
import { readEnvelope } from '#/formats/mime/entity/envelope.ts'
import { flagsText } from '../selected/flags.ts'
import { dateTime } from '../wire/format.ts'
import { envelopeText, structureText, type Telling } from './body-structure.ts'
import type { FetchItem, PlainItem, SectionItem } from './items.ts'
import type { FolderTexts } from './known-texts.ts'
import type { MessageSource } from './message-source.ts'
import { utf8String } from './octet-text.ts'
import type { ResponseWriter } from './response-writer.ts'
import type { Row } from './rows.ts'
import { UnknownEncoding, writeSection } from './section-answer.ts'

/** A message of which items are told. */
export interface ToldMessage {
  readonly sequence: number
  readonly row: Row
  /** The id of its conversation, if it was asked for and is known. */
  readonly threadId: string | undefined
  readonly preview: string
  /** Undefined if nothing of it was asked for. */
  readonly source: MessageSource | undefined
}

export interface Answering {
  readonly writer: ResponseWriter
  readonly items: readonly FetchItem[]
  readonly texts: FolderTexts
}

/** The response for one message of which nothing but its row and known texts are told: `* 3 FETCH (FLAGS (\\Seen) UID 7)` (RFC 9051,
 *  section 7.5.2). */
export function rowResponse({ items, texts }: Omit<Answering, 'writer'>, message: ToldMessage): string {
  const told = (item: PlainItem) => rowValue(item, message) ?? texts.find(message.row.uid, item)
  const values = items.map((item) => (typeof item === 'string' ? `${item} ${told(item)}` : ''))
  return `* ${message.sequence} FETCH (${values.join(' ')})\r\n`
}

/** Writes the response for one message. Answers false if a part was left out since nobody knows its encoding. Throws `Gone` if the
 *  message is gone. */
export async function writeMessage(answering: Answering, message: ToldMessage): Promise<boolean> {
  const { writer, items } = answering
  writer.add(`* ${message.sequence} FETCH (`)
  let lead = ''
  let isWhole = true
  for (const item of items) {
    if (typeof item === 'string') {
      const value = rowValue(item, message) ?? (await contentValue(item, message, answering))
      writer.add(`${lead}${item} ${value}`)
    } else if (!(await wroteSection(writer, message.source, { ...item, name: lead + item.name }))) {
      isWhole = false
      continue
    }
    lead = ' '
    await writer.pause()
  }
  // A response has one item at least.
  if (lead === '') writer.add(`UID ${message.row.uid}`)
  writer.add(')\r\n')
  return isWhole
}

async function wroteSection(
  writer: ResponseWriter,
  source: MessageSource | undefined,
  item: SectionItem,
): Promise<boolean> {
  if (!source) return false
  try {
    await writeSection(writer, source, item)
    return true
  } catch (error) {
    if (error instanceof UnknownEncoding) return false
    throw error
  }
}

/** Undefined for what the octets of the message say. */
function rowValue(item: PlainItem, { row, threadId }: ToldMessage): string | number | undefined {
  switch (item) {
    case 'FLAGS':
      return flagsText(row)
    case 'UID':
      return row.uid
    case 'INTERNALDATE':
      return dateTime(new Date(row.receivedAt))
    case 'RFC822.SIZE':
      return row.sizeBytes
    case 'MODSEQ':
      return `(${row.modseq})`
    case 'EMAILID':
      return `(${publicId(row.id)})`
    case 'THREADID':
      return threadId === undefined ? 'NIL' : `(${threadId})`
    case 'SAVEDATE':
      return dateTime(new Date(row.savedAt))
    default:
      return undefined
  }
}

async function contentValue(item: PlainItem, message: ToldMessage, { texts }: Answering): Promise<string> {
  const { source, preview, row } = message
  if (item === 'PREVIEW') return utf8String(preview)
  if (!source) return 'NIL'
  return await texts.findOr(row.uid, item, () =>
    item === 'ENVELOPE'
      ? envelopeOf(source)
      : structureOf(source, { isExtended: item === 'BODYSTRUCTURE', knowsGlobal: texts.knowsGlobal }),
  )
}

async function envelopeOf(source: MessageSource): Promise<string> {
  const { headers } = await source.headerOctets(await source.header())
  return envelopeText(readEnvelope(headers))
}

async function structureOf(source: MessageSource, telling: Telling): Promise<string> {
  return structureText(await source.entity(), telling)
}
