import type { Entity } from '#/formats/mime/entity/entity.ts'
import { Bad } from '../answers.ts'
import type { Arguments } from '../wire/arguments.ts'
import { astring } from '../wire/format.ts'

/** A section of a message (RFC 9051, section 6.4.5.1). */
export interface Section {
  /** The numbers of the part; none is the message itself. */
  readonly path: readonly number[]
  readonly what: 'all' | 'header' | 'fields' | 'other fields' | 'text' | 'mime'
  /** Names of header fields, in upper case. */
  readonly fields: readonly string[]
}

const texts = {
  '': 'all',
  HEADER: 'header',
  'HEADER.FIELDS': 'fields',
  'HEADER.FIELDS.NOT': 'other fields',
  TEXT: 'text',
  MIME: 'mime',
} as const

/** Deeper parts than those of any structure. */
const DEEPEST = 2_000

/** Reads `[1.2.HEADER.FIELDS (FROM TO)]`. */
export function readSection(args: Arguments): Section {
  args.take('[')
  const written = args.upTo(' ]')
  const [, numbers = '', text = ''] = /^((?:[1-9]\d{0,9}(?:\.(?=.)|$))*)([A-Z.]*)$/.exec(written) ?? [
    undefined,
    '',
    'none',
  ]
  const what = Object.hasOwn(texts, text) ? texts[text as keyof typeof texts] : undefined
  const path = numbers.split('.').flatMap((number) => (number === '' ? [] : [Number(number)]))
  if (!what || path.length > DEEPEST || (what === 'mime' && path.length === 0))
    throw new Bad('FETCH was asked for a section that nobody knows')
  const fields: string[] = []
  if (what === 'fields' || what === 'other fields') {
    args.space()
    fields.push(...args.list(() => args.astring().toUpperCase()))
    if (fields.length === 0) throw new Bad('A list of header fields has one at least')
  }
  if (!args.take(']')) throw new Bad('A section ends with ]')
  return { path, what, fields }
}

/** As the response names it, without brackets. */
export function sectionName({ path, what, fields }: Section): string {
  const [text = ''] = Object.entries(texts).find(([, one]) => one === what) ?? []
  const names = fields.length > 0 ? ` (${fields.map(astring).join(' ')})` : ''
  return [...path, ...(text === '' ? [] : [text])].join('.') + names
}

/** The octets of a section, as offsets into the message. */
export interface Range {
  readonly start: number
  readonly end: number
}

/** Where a section is that has a header of its own; undefined if the message has no such part. */
export function rangeOf(root: Entity, { path, what }: Section): Range | undefined {
  const part = path.length === 0 ? root : partAt(root, path)
  if (!part) return undefined
  if (path.length > 0 && what === 'all') return part
  if (what === 'mime') return { start: part.header, end: part.start }
  const message = path.length === 0 ? root : part.message?.root
  if (!message) return undefined
  if (what === 'all') return { start: message.header, end: message.end }
  return what === 'text' ? message : { start: message.header, end: message.start }
}

/** The part with these numbers. A message that is no multipart has one part, itself. */
export function partAt(root: Entity, path: readonly number[]): Entity | undefined {
  let message: Entity | undefined = root
  let part: Entity | undefined
  for (const number of path) {
    const parts: readonly Entity[] = message ? partsOf(message) : (part?.parts ?? [])
    part = parts[number - 1]
    if (!part) return undefined
    message = part.message?.root
  }
  return part
}

function partsOf(message: Entity): readonly Entity[] {
  return message.parts.length > 0 ? message.parts : [message]
}
