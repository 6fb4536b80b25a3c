import { createHash } from 'node:crypto'
import type { Searchable } from '#/mime/searchable.ts'
import type { SearchField } from '#/ports/search.ts'
import { wantedWords, wordsOf } from '#/search/words.ts'

/** PostgreSQL keeps positions below 16,384, and 256 of a word. */
const mostPositions = 16_000
const mostOfAWord = 255
/** A vector has less than a MiB: bytes of its words. */
const mostBytes = 256 * 1024

/** Between texts, so that no phrase goes from one to the next. */
const gap = 8

/** How the vector marks a field: a weight, or else words of its own. */
const weights = { any: '', subject: 'A', from: 'B', to: 'C', cc: '', filename: '' } as const
const prefixes = { any: '', subject: '', from: '', to: '', cc: 'cc/', filename: 'file/' } as const

/** A message's vector, as PostgreSQL reads one. Beside words it names the organization, mailboxes and Message-ID, by which one
 *  index finds only what may be found. */
export function vectorOf(
  { subject, from, to, cc, filename, text }: Searchable,
  {
    organizationId,
    mailboxIds,
    messageId,
  }: { organizationId: string; mailboxIds: readonly string[]; messageId: string | null },
): string {
  const vector = new Vector()
  vector.mark(organizationMark(organizationId))
  for (const id of mailboxIds) vector.mark(mailboxMark(id))
  if (messageId !== null) vector.mark(idMark(messageId))
  vector.add(subject, 'subject')
  vector.add(from, 'from')
  vector.add(to, 'to')
  vector.add(filename, 'filename')
  vector.add(cc, 'cc')
  vector.add(text, 'any')
  return vector.toString()
}

class Vector {
  readonly #places = new Map<string, string[]>()
  #position = 1
  #bytes = 0

  mark(word: string): void {
    this.#places.set(word, [])
  }

  add(texts: readonly string[], field: SearchField): void {
    for (const text of texts) {
      const start = this.#position
      for (const { text: word, at } of wordsOf(text)) {
        const position = start + at
        if (position > mostPositions || this.#bytes > mostBytes) return
        this.#place(word, `${position}${weights[field]}`)
        if (prefixes[field] !== '') this.#place(prefixes[field] + word, `${position}`)
        this.#position = position + gap
      }
    }
  }

  #place(word: string, place: string): void {
    const places = this.#places.get(word)
    if (!places) {
      this.#places.set(word, [place])
      this.#bytes += Buffer.byteLength(word)
    } else if (places.length < mostOfAWord) places.push(place)
  }

  toString(): string {
    return [...this.#places]
      .map(([word, places]) => `'${word}'${places.length > 0 ? `:${places.join(',')}` : ''}`)
      .join(' ')
  }
}

/** Words that follow each other in a field, as PostgreSQL reads a query. */
export function phraseQuery(field: SearchField, phrase: string): string {
  let last = 0
  const parts = wantedWords(phrase).map(({ text, at, prefix }, index) => {
    const distance = at - last
    last = at
    const labels = `${prefix ? '*' : ''}${weights[field]}`
    return `${index === 0 ? '' : ` <${distance}> `}'${prefixes[field]}${text}'${labels && `:${labels}`}`
  })
  return `(${parts.join('')})`
}

/** The same words wherever they stand: what the index answers without a look at the vectors. */
export function wordsQuery(field: SearchField, phrase: string): string {
  const words = wantedWords(phrase).map(({ text, prefix }) => `'${prefixes[field]}${text}'${prefix ? ':*' : ''}`)
  return `(${words.join(' & ')})`
}

export function organizationMark(id: string): string {
  return `o/${shortened(id)}`
}

export function mailboxMark(id: string): string {
  return `m/${shortened(id)}`
}

export function idMark(messageId: string): string {
  return `i/${createHash('sha256').update(messageId).digest('base64url').slice(0, 12)}`
}

function shortened(uuid: string): string {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex').toString('base64url')
}
