import { Bad } from '../answers.ts'
import type { Arguments } from '../wire/arguments.ts'
import { readSection, type Section, sectionName } from './section.ts'

/** A data item of FETCH (RFC 9051, section 6.4.5) without a section. */
export type PlainItem =
  | 'FLAGS'
  | 'UID'
  | 'INTERNALDATE'
  | 'RFC822.SIZE'
  | 'MODSEQ'
  | 'EMAILID'
  | 'THREADID'
  | 'SAVEDATE'
  | 'PREVIEW'
  | 'ENVELOPE'
  | 'BODY'
  | 'BODYSTRUCTURE'

/** Octets of a message. */
export interface SectionItem {
  /** As the response names it: `BODY[1.MIME]<0>`, `RFC822.TEXT`. */
  readonly name: string
  readonly section: Section
  readonly partial: Partial | undefined
  /** As they are, decoded, or how many they are decoded (RFC 3516). */
  readonly as: 'octets' | 'decoded' | 'decoded length'
  /** Whoever asks for it has read the message. */
  readonly marksSeen: boolean
}

export interface Partial {
  readonly from: number
  readonly count: number
}

export type FetchItem = PlainItem | SectionItem

const plainItems: ReadonlySet<string> = new Set<PlainItem>([
  'FLAGS',
  'UID',
  'INTERNALDATE',
  'RFC822.SIZE',
  'MODSEQ',
  'EMAILID',
  'THREADID',
  'SAVEDATE',
  'PREVIEW',
  'ENVELOPE',
  'BODY',
  'BODYSTRUCTURE',
])

const fast = ['FLAGS', 'INTERNALDATE', 'RFC822.SIZE'] as const
const macros: Readonly<Record<string, readonly PlainItem[]>> = {
  FAST: fast,
  ALL: [...fast, 'ENVELOPE'],
  FULL: [...fast, 'ENVELOPE', 'BODY'],
}

const whole: Section = { path: [], what: 'all', fields: [] }
const withoutSection: Readonly<Record<string, Pick<SectionItem, 'section' | 'marksSeen'>>> = {
  RFC822: { section: whole, marksSeen: true },
  'RFC822.HEADER': { section: { ...whole, what: 'header' }, marksSeen: false },
  'RFC822.TEXT': { section: { ...whole, what: 'text' }, marksSeen: true },
}

const withSection: Readonly<Record<string, { name: string } & Pick<SectionItem, 'as' | 'marksSeen'>>> = {
  BODY: { name: 'BODY', as: 'octets', marksSeen: true },
  'BODY.PEEK': { name: 'BODY', as: 'octets', marksSeen: false },
  BINARY: { name: 'BINARY', as: 'decoded', marksSeen: true },
  'BINARY.PEEK': { name: 'BINARY', as: 'decoded', marksSeen: false },
  'BINARY.SIZE': { name: 'BINARY.SIZE', as: 'decoded length', marksSeen: false },
}

/** Reads what FETCH asks for: a macro, one item or a list of them. The modifiers of PREVIEW alone look like those of FETCH, which
 *  follow. */
export function readItems(args: Arguments): { items: FetchItem[]; mayHavePreviewModifier: boolean } {
  if (args.isNext('(')) return { items: readList(args), mayHavePreviewModifier: false }
  const name = args.upTo(' [')
  const macro = macros[name]
  if (macro) return { items: [...macro], mayHavePreviewModifier: false }
  return { items: [readItem(args, name)], mayHavePreviewModifier: name === 'PREVIEW' }
}

/** Plain items that are there twice are told once. */
function readList(args: Arguments): FetchItem[] {
  const items: FetchItem[] = []
  args.list(() => {
    if (items.at(-1) === 'PREVIEW' && args.isNext('(')) args.list(() => readPreviewModifier(args.word()))
    else {
      const item = readItem(args, args.upTo(' [)'))
      if (typeof item !== 'string' || !items.includes(item)) items.push(item)
    }
  })
  if (items.length === 0) throw new Bad('FETCH was asked for nothing')
  return items
}

/** RFC 8970, section 3.2: a preview is stored with each message, so that none has to be made, or waited for. */
export function readPreviewModifier(word: string): void {
  if (word !== 'LAZY') throw new Bad('PREVIEW has the modifier LAZY alone')
}

function readItem(args: Arguments, name: string): FetchItem {
  if (args.isNext('[')) return readSectionItem(args, name)
  if (isPlain(name)) return name
  const known = withoutSection[name]
  if (!known) throw new Bad('FETCH was asked for an item that nobody knows')
  return { ...known, name, partial: undefined, as: 'octets' }
}

function isPlain(name: string): name is PlainItem {
  return plainItems.has(name)
}

function readSectionItem(args: Arguments, item: string): SectionItem {
  const kind = withSection[item]
  if (!kind) throw new Bad('FETCH was asked for a section of an item that has none')
  const section = readSection(args)
  if (kind.as !== 'octets' && section.what !== 'all') throw new Bad('BINARY is of parts alone')
  const partial = kind.as !== 'decoded length' && args.isNext('<') ? readPartial(args) : undefined
  const from = partial ? `<${partial.from}>` : ''
  return { ...kind, section, partial, name: `${kind.name}[${sectionName(section)}]${from}` }
}

function readPartial(args: Arguments): Partial {
  args.take('<')
  const from = args.number64()
  if (!args.take('.')) throw new Bad('A partial is like <0.1024>')
  const count = args.number64()
  if (!args.take('>')) throw new Bad('A partial is like <0.1024>')
  return { from, count }
}
