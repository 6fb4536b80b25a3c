// On both databases: what is a letter depends on the locale of the server.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { Searchable } from '#/formats/mime/body/searchable.ts'
import { PhraseSearch } from '#/mail/search/phrases.ts'
import { holdsPhrase, holdsWords, indexText, spaced, wordsQuery } from '#/mail/search-index/index-text.ts'
import { queryWords } from '#/mail/search-index/words.ts'
import { databaseOfFile } from '#test/world/database/database.ts'
import { numbers, pick } from './mail.ts'

const pieces = [
  ...['a', 'b', 'ab', 'é', '京', '都', '京都', '大京', 'ไท', 'ย', ' ', ' ', ' ', '-', '\n', '\\', "'", '/'],
] as const
const place = {
  ...{ organizationId: '00000000-0000-4000-8000-0000000000aa', mailboxIds: ['00000000-0000-4000-8000-0000000000bb'] },
  messageId: '<a@b.example>',
  hasAttachment: true,
}

const database = await databaseOfFile()

test('a text of the index holds the phrases that the texts of the message hold', async () => {
  const random = numbers(5)
  const text = (most: number) => Array.from({ length: 1 + random(most) }, () => pick(pieces, random)).join('')
  const texts = () => Array.from({ length: random(3) }, () => text(9))
  const messages = Array.from({ length: 150 }, (): Searchable => {
    return { subject: texts(), from: texts(), to: texts(), cc: texts(), filename: texts(), text: texts() }
  })
  const rows = JSON.stringify(messages.map((one, id) => ({ id, words: indexText(one, place, one.text) })))
  let finding = 0
  for (let count = 0; count < 250; count++) {
    const phrase = text(4)
    if (queryWords(phrase).length === 0) continue
    const field = pick(['subject', 'from', 'to', 'cc', 'filename', 'any'] as const, random)
    const search = new PhraseSearch([{ kind: 'text', field, text: phrase }])
    const expected = messages.flatMap((one, id) => (search.in(one, () => false).size > 0 ? [id] : []))
    const { rows: found } = await sql<{ id: number; indexed: boolean }>`
      select id, search_vector(words) @@ ${wordsQuery(field, phrase)}::tsquery as indexed
      from (select id, ${spaced(sql`words`)} as words from jsonb_to_recordset(${rows}::jsonb) as row (id integer, words text)) search
      where ${holdsPhrase(field, phrase)} order by id`.execute(database.db)
    assert.deepEqual(
      found,
      expected.map((id) => ({ id, indexed: true })),
      `${field}: ${phrase}`,
    )
    finding += found.length > 0 ? 1 : 0
  }
  assert.ok(finding > 100, 'many of the phrases are found')
})

test('what the index finds by words is what a text of it holds', async () => {
  const random = numbers(6)
  const text = (most: number) => Array.from({ length: 1 + random(most) }, () => pick(pieces, random)).join('')
  const texts = () => Array.from({ length: random(3) }, () => text(9))
  const rows = JSON.stringify(
    Array.from({ length: 100 }, () => {
      const message = { subject: texts(), from: texts(), to: texts(), cc: texts(), filename: texts(), text: texts() }
      return { words: indexText(message, place, message.text) }
    }),
  )
  let held = 0
  for (let count = 0; count < 150; count++) {
    const phrase = text(4)
    if (queryWords(phrase).length === 0) continue
    const field = pick(['subject', 'from', 'to', 'cc', 'filename', 'any'] as const, random)
    const { rows: of } = await sql<{ indexed: boolean; held: boolean }>`
      select search_vector(words) @@ ${wordsQuery(field, phrase)}::tsquery as indexed, ${holdsWords(field, phrase)} as held
      from (select ${spaced(sql`words`)} as words from jsonb_to_recordset(${rows}::jsonb) as row (words text)) search`.execute(
      database.db,
    )
    for (const one of of) assert.equal(one.held, one.indexed, `${field}: ${phrase}`)
    held += of.some((one) => one.held) ? 1 : 0
  }
  assert.ok(held > 50, 'many of the phrases are held')
})

test('of a long message the first 16,000 words are indexed', async () => {
  const words = Array.from({ length: 16_010 }, (_, nth) => `word${nth}`).join(' ')
  const text = indexText({ subject: ['Long'], from: [], to: [], cc: [], filename: [], text: [words] }, place, [words])
  const { rows } = await sql<{ words: number; last: boolean; beyond: boolean }>`
    select length(search_vector(words)) as words, ${holdsPhrase('any', 'word15997 word15998')} as last,
      ${holdsPhrase('any', 'word15999')} as beyond
    from (select ${spaced(sql`${text}::text`)} as words) search`.execute(database.db)
  // Beside them are four marks, and the subject's word as one of the subject.
  assert.deepEqual(rows, [{ words: 16_005, last: true, beyond: false }])
})
