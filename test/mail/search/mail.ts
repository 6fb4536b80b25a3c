import type { SearchField, SearchTree } from '#/mail/search-index/query.ts'

/** The parts of a generated message, by which a test knows what should be found. */
export interface Made {
  readonly number: number
  readonly mailbox: number
  readonly folder: string
  readonly subject: string
  readonly from: string
  readonly to: string
  readonly cc: string
  readonly text: string
  readonly quoted: string
  readonly filename: string | undefined
  readonly seen: boolean
  readonly flagged: boolean
  readonly labelled: boolean
  readonly receivedAt: Date
  readonly sizeBytes: number
}

export const words = [
  ...['engine', 'Café', 'Straße', 'Łódź', 'naïve', 'invoice', 'ΣΊΣΥΦΟΣ', 'Привет', 'x1', '2026', '한국어', "don't"],
  ...['東京都', '京都大学', '機械', 'ガギグ', 'ภาษาไทย', 'สวัสดี', 'foo-bar', 'plan.pdf', 'ann', 'bob', '¾', '34', '3/4'],
] as const

/** As people may write them. */
export const asked = [
  ...['ENGINE', 'cafe', 'strasse', 'lodz', 'NAIVE', 'Invoice', 'σισυφος', 'привет', 'X1', '2026', '한국어', "don't"],
  ...['京都', '東京都', '大学', '機', 'ｶﾞｷﾞ', 'ไทย', 'สวัส', 'foo bar', 'plan pdf', 'ann', 'bob', 'nowhere', 'bar'],
  ...['engine café', 'café engine', 'ann@books.example', '機械 ガギ', 'quotedword', 'books.example', '¾', '34', '3/4'],
] as const

export const folders = ['inbox', 'archive', 'junk', 'Projects/Apollo'] as const

/** Numbers that look random and are the same at every run. */
export function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

export function make(number: number, random: (below: number) => number, newest: Date): { made: Made; raw: Buffer } {
  const some = (most: number) => Array.from({ length: random(most + 1) }, () => pick(words, random)).join(' ')
  const person = () =>
    `${some(1)} <${pick(['ann', 'bob', 'zoe'], random)}@${pick(['books.example', 'x1.example'], random)}>`
  const made = {
    number,
    mailbox: random(3),
    folder: pick(folders, random),
    subject: some(3),
    from: person(),
    to: person(),
    cc: random(3) === 0 ? person() : '',
    text: some(12),
    quoted: random(2) === 0 ? 'quotedword' : '',
    filename: random(4) === 0 ? `${pick(words, random)}.pdf` : undefined,
    seen: random(2) === 0,
    flagged: random(4) === 0,
    labelled: random(4) === 0,
    receivedAt: new Date(newest.getTime() - random(400) * 86_400_000 - number * 1_000),
  }
  const raw = rawOf(made)
  return { made: { ...made, sizeBytes: raw.length }, raw }
}

function rawOf(made: Omit<Made, 'sizeBytes'>): Buffer {
  const quotation = made.quoted && ['', 'On Monday, Ann wrote:', `> ${made.quoted}`]
  const body = [made.text, ...quotation, ''].join('\r\n')
  const text = ['Content-Type: text/plain; charset=utf-8', '', body]
  const { filename } = made
  const file = filename && [
    ...['--b', 'Content-Type: application/pdf'],
    ...[`Content-Disposition: attachment; filename*=utf-8''${encodeURIComponent(filename)}`, '', 'x', '--b--', ''],
  ]
  const header = [
    ...[`From: ${made.from}`, `To: ${made.to}`, ...(made.cc ? [`Cc: ${made.cc}`] : [])],
    ...[`Subject: ${made.subject}`, `Message-ID: ${idOf(made)}`, 'MIME-Version: 1.0'],
  ]
  const lines = file
    ? [...header, 'Content-Type: multipart/mixed; boundary=b', '', '--b', ...text, ...file]
    : [...header, ...text]
  return Buffer.from(lines.join('\r\n'))
}

export function idOf({ number }: Pick<Made, 'number'>): string {
  return `<made-${number}@search.example>`
}

/** The searchable fields of a message. */
export interface Judged {
  readonly folder: string
  /** The texts that are looked in, folded. */
  readonly texts: (field: SearchField) => readonly string[]
  readonly hasAttachment: boolean
  readonly seen: boolean
  readonly flagged: boolean
  readonly labelled: boolean
  readonly receivedAt: Date
  readonly sizeBytes: number
  readonly messageId: string | null
}

const searchFields = ['any', 'subject', 'from', 'to', 'cc', 'filename'] as const satisfies SearchField[]

/** Each text is folded once: a query asks all of them. */
export function judged(made: Made): Made & Judged {
  const texts = new Map(searchFields.map((field) => [field, textsOf(made, field).map(folded)]))
  return {
    ...made,
    texts: (field) => texts.get(field) ?? [],
    hasAttachment: made.filename !== undefined,
    messageId: idOf(made),
  }
}

/** Whether a query should find a message: the plain reading of docs/reference/search.md, word by word. */
export function shouldFind(tree: SearchTree, message: Judged, now: Date): boolean {
  const day = 86_400_000
  const time = message.receivedAt.getTime()
  switch (tree.kind) {
    case 'all':
      return tree.of.every((one) => shouldFind(one, message, now))
    case 'either':
      return tree.of.some((one) => shouldFind(one, message, now))
    case 'not':
      return !shouldFind(tree.of, message, now)
    case 'text': {
      const wanted = folded(tree.text)
      return message.texts(tree.field).some((text) => holds(text, wanted))
    }
    case 'label':
      return message.labelled
    case 'folder':
      return tree.name === null || tree.name === message.folder
    case 'attachment':
      return message.hasAttachment
    case 'unread':
      return !message.seen
    case 'starred':
      return message.flagged
    case 'before':
      return time < Date.parse(tree.day)
    case 'after':
      return time >= Date.parse(tree.day)
    case 'older_than':
      return time < now.getTime() - tree.amount * day * { d: 1, w: 7, m: 30, y: 365 }[tree.unit]
    case 'newer_than':
      return time >= now.getTime() - tree.amount * day * { d: 1, w: 7, m: 30, y: 365 }[tree.unit]
    case 'larger':
      return message.sizeBytes > tree.bytes
    case 'smaller':
      return message.sizeBytes < tree.bytes
    case 'message_id':
      return tree.id === message.messageId
  }
}

function textsOf({ subject, from, to, cc, text, filename = '' }: Made, field: SearchField): string[] {
  const [names, addresses] = [
    [from, to, cc].map((one) => one.replace(/<.*/, '')),
    [from, to, cc].map((one) => /<(.*)>/.exec(one)?.[1] ?? ''),
  ]
  const of = (nth: number) => [names[nth] ?? '', addresses[nth] ?? '']
  const fields: Partial<Record<SearchField, string[]>> = {
    subject: [subject],
    from: of(0),
    to: of(1),
    cc: of(2),
    filename: [filename],
  }
  return fields[field] ?? [subject, ...of(0), ...of(1), ...of(2), filename, text]
}

const unspaced = String.raw`\p{Script_Extensions=Han}\p{Script_Extensions=Hiragana}\p{Script_Extensions=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`
const isUnspaced = new RegExp(`[${unspaced}]`, 'u')
const unspacedRuns = new RegExp(`[${unspaced}\\p{M}]*[${unspaced}][${unspaced}\\p{M}]*`, 'gu')

/** Texts of a script without spaces by their parts, all others by whole words. */
export function says(text: string, phrase: string): boolean {
  return holds(folded(text), folded(phrase))
}

function holds(plain: string, wanted: string): boolean {
  const [first, last] = [isUnspaced.test([...wanted][0] ?? ''), isUnspaced.test([...wanted].at(-1) ?? '')]
  return ` ${plain} `.includes(`${first ? '' : ' '}${wanted}${last ? '' : ' '}`)
}

/** Letters that Unicode does not take apart, and what they are found by. */
const plainLetters: Readonly<Record<string, string>> = {
  ...{ ł: 'l', ø: 'o', đ: 'd', ð: 'd', ħ: 'h', ı: 'i', ŧ: 't', æ: 'ae', œ: 'oe', þ: 'th', ς: 'σ' },
}

/** A word is what is written of letters, digits and marks. A fraction in one character is no digits. */
export function folded(text: string): string {
  const written = text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  return written.map(foldedWord).join(' ').replace(/ +/g, ' ').trim()
}

function foldedWord(word: string): string {
  const bare = withoutAccents(word)
  return withoutAccents(bare.toLowerCase().toUpperCase().toLowerCase())
    .replace(/[łøđðħıŧæœþς]/g, (letter) => plainLetters[letter] ?? letter)
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, '')
    .normalize('NFC')
    .replace(unspacedRuns, ' $& ')
}

function withoutAccents(text: string): string {
  const parts = text.split(/([¼-¾⅐-⅟↉])/)
  return parts.map((part, at) => (at % 2 ? part : part.normalize('NFKD').replace(/[\u0300-\u036f]/g, ''))).join('')
}

export function pick<T>(of: readonly T[], random: (below: number) => number): T {
  const one = of[random(of.length)]
  if (one === undefined) throw new Error('nothing to choose from')
  return one
}
