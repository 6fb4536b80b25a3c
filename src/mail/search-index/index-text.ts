import { createHash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { Searchable } from '#/formats/mime/body/searchable.ts'
import type { SearchField } from './query.ts'
import { Course, mark, spelledWords } from './spelled.ts'
import { queryWords } from './words.ts'

/** In all fields of a message together. */
const mostWords = 16_000
/** `search_vector` makes less than a MiB of it. */
const mostBytes = 512 * 1024

/** The lines of the text; the first has the marks. The fields with the most words come last. */
const lines = ['subject', 'from', 'to', 'filename', 'cc', 'text'] as const satisfies (keyof Searchable)[]

interface Marked {
  readonly organizationId: string
  readonly mailboxIds: readonly string[]
  readonly messageId: string | null
  readonly hasAttachment: boolean
}

/** A message's words as indexed, in their order: a space or a tab between words (`spelledWords`), two spaces between texts, a line for each field. The
 *  marks of organization, mailboxes, Message-ID and attachments come first, so that one lookup in the index finds only
 *  permitted messages. `search_vector` adds a mark for each word of a field other than the text. `body` has all texts of the body, from which
 *  the text is taken. */
export function indexText(searchable: Searchable, of: Marked, body: readonly string[]): string {
  const marks = new Set([organizationMark(of.organizationId), ...of.mailboxIds.map(mailboxMark)])
  if (of.messageId !== null) marks.add(idMark(of.messageId))
  if (of.hasAttachment) marks.add(attachmentMark)
  const course = new Course(body)
  let [words, bytes] = [0, 0]
  const written = lines.map((field) =>
    searchable[field].map((text) => {
      let taken = ''
      for (const { text: word, gap } of spelledWords(text)) {
        if (++words > mostWords || bytes > mostBytes) break
        bytes += Buffer.byteLength(field === 'text' ? word : word + indexed(field, word))
        const between = field === 'text' ? course.gapBefore(word) : gap
        taken += taken === '' ? word : between + word
      }
      return taken
    }),
  )
  return [[...marks], ...written].map((texts) => ` ${texts.join('  ')} `).join('\n')
}

/** An index text with spaces alone between words, for whom it does not matter what else was there. */
export function spaced(words: RawBuilder<unknown>): RawBuilder<string> {
  return sql`replace(${words}, ${mark}, ' ')`
}

/** Whether words follow each other in a field of `search.words`, a `spaced` index text. */
export function holdsPhrase(field: SearchField, phrase: string): RawBuilder<boolean> {
  const text = textOf(field)
  const wanted = queryWords(phrase)
  const isPlain = wanted.every(({ at, prefix }, index) => at === index && (!prefix || index === wanted.length - 1))
  if (isPlain) {
    const end = wanted.at(-1)?.prefix ? '' : ' '
    return sql<boolean>`strpos(${text}, ${` ${wanted.map((word) => word.text).join(' ')}${end}`}) > 0`
  }
  let next = 0
  const pattern = wanted.map((word) => {
    const between = ' [^ \n]+'.repeat(word.at - next)
    next = word.at + 1
    return `${between} ${word.text}${word.prefix ? '[^ \n]*' : ''}`
  })
  return sql<boolean>`${text} ~ ${`${pattern.join('')} `}`
}

function textOf(field: SearchField): RawBuilder<string> {
  if (field === 'any') return sql`search.words`
  return sql`split_part(search.words, E'\\n', ${lines.indexOf(field) + 2}::integer)`
}

/** The same words in any order, as a PostgreSQL query, which the index evaluates alone. */
export function wordsQuery(field: SearchField, phrase: string): string {
  const words = queryWords(phrase).map(({ text, prefix }) => {
    return `'${indexed(field, text)}'${prefix ? ':*' : ''}`
  })
  return `(${words.join(' & ')})`
}

/** Whether the index would find `search.words` by them. */
export function holdsWords(field: SearchField, phrase: string): RawBuilder<boolean> {
  const text = textOf(field)
  const each = queryWords(phrase).map(({ text: word, prefix }) => {
    return sql`strpos(${text}, ${` ${word}${prefix ? '' : ' '}`}) > 0`
  })
  return sql<boolean>`(${sql.join(each, sql` and `)})`
}

/** A word of a field in `search_vector`. */
function indexed(field: SearchField | 'text', word: string): string {
  return field === 'any' || field === 'text' ? word : `${field}/${word}`
}

export const attachmentMark = 'a/'

export function organizationMark(id: string): string {
  return `o/${shortened(id)}`
}

export function mailboxMark(id: string): string {
  return `m/${shortened(id)}`
}

export function idMark(messageId: string): string {
  return `i/${createHash('sha256').update(messageId).digest('base64url').slice(0, 12)}`
}

/** Narrows the search in the index; the condition itself is evaluated on the message. */
function shortened(uuid: string): string {
  return Buffer.from(uuid.slice(-12), 'hex').toString('base64url')
}
