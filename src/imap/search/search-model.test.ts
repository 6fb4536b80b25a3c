import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import type { Tx } from '#/base/db/schema.ts'
import { Stage } from '#test/world/imap/stage.ts'
import { Parser } from '../wire/parser.ts'
import { searchCommands } from './commands.ts'
import { Places } from './places.ts'
import { Scope } from './scope.ts'
import { siftTexts } from './sift-texts.ts'

/** A message, as a program that knows nothing of indexes looks at it. */
interface Letter {
  readonly seen: boolean
  readonly flagged: boolean
  readonly keyword: string
  readonly day: number
  readonly from: string
  readonly subject: string
  readonly text: string
  readonly quoted: string
  readonly note: string
}

const seed = Number(process.env.TEST_SEED ?? 20261126)
/** Longer than the index has a word, and without a part twice. */
const long = Array.from({ length: 100 }, (_, at) => (at * at).toString(36)).join('')
const words = [
  ...['invoice', 'voice', 'in', 'paid', 'café', 'cafe', 'Straße', '4711', 'INV4711', 'ann', 'anna', '東京都', 'Привет'],
  'x'.repeat(90),
  long,
]
const separators = [' ', ' ', '-', ', ', '\r\n', '. ']
const text = fc
  .array(fc.tuple(fc.constantFrom(...words), fc.constantFrom(...separators)), { maxLength: 12 })
  .map((parts) => parts.flat().join(''))
const line = fc.array(fc.constantFrom(...words), { maxLength: 4 }).map((parts) => parts.join(' '))

const letters = fc.sample(
  fc.record<Letter>({
    ...{ seen: fc.boolean(), flagged: fc.boolean(), keyword: fc.constantFrom('', 'work', 'home') },
    ...{
      day: fc.integer({ min: 1, max: 28 }),
      from: fc.constantFrom('Ann <ann@a.example>', 'bob@anna.example', '"Cafe" <c@b.example>'),
    },
    ...{ subject: line, text, quoted: line, note: line },
  }),
  { numRuns: 60, seed },
)

const stage = await Stage.ofFile(searchCommands)
const scene = await stage.scene()
await scene.store(
  letters.map((letter) => {
    const raw =
      `From: ${letter.from}\r\nSubject: ${letter.subject}\r\nList-Id: ${letter.note}\r\nDate: ${letter.day} Oct 2026 23:00:00 +0000\r\n` +
      `Content-Type: text/plain; charset=utf-8\r\n\r\n${letter.text}\r\n\r\n> ${letter.quoted}\r\n`
    const { seen, flagged, keyword, day } = letter
    const receivedAt = new Date(Date.UTC(2026, 9, day, 23))
    return [
      Buffer.from(raw).toString('latin1'),
      { seen, flagged, receivedAt, keywords: keyword ? [keyword] : [] },
    ] as const
  }),
)
await scene.session.run('SELECT INBOX')

/** As the service folds texts, for the letters of this test. */
function folded(given: string): string {
  const bare = given.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '')
  return bare.normalize('NFC').replaceAll('ß', 'ss').replace(/\s+/g, ' ')
}

const holds = (haystack: string, needle: string) => folded(haystack).includes(folded(needle))
const body = (letter: Letter) => [`${letter.text}\n\n> ${letter.quoted}\n`]
const shown = (letter: Letter) => [
  ...[letter.from, letter.from.replaceAll('"', ''), letter.subject, letter.note, ...body(letter)],
]

interface Key {
  readonly written: string
  readonly finds: (letter: Letter, number: number) => boolean
}

const needle = fc.oneof(
  fc.constantFrom(
    ...['voice', 'INVOICE', 'v', 'café', 'fe', 'strasse', '711', 'inv4711', 'nn', 'ice, p', 'in-', '京', '京都', 'xxx'],
    ...[
      'paid cafe',
      'привет',
      'ивет',
      long.slice(25, 65),
      long.slice(-20),
      `${long.slice(-20)} paid`,
      `in ${long.slice(0, 20)}`,
    ],
  ),
  fc.tuple(fc.constantFrom(...words.slice(0, -2)), fc.constantFrom(...words.slice(0, -2))).map((two) => two.join(' ')),
  fc.array(fc.constantFrom('in', 'ann', 'anna', 'paid'), { minLength: 2, maxLength: 4 }).map((some) => some.join(' ')),
  fc.constantFrom('nowhere', '>', '<ann@', 'a.example', ' ', 'x'.repeat(40), 'x'.repeat(91)),
  text.filter((one) => one.trim() !== '').map((one) => one.replace(/\s+/g, ' ').slice(1, 25)),
)
const about = (word: string, look: (letter: Letter) => readonly string[]): fc.Arbitrary<Key> =>
  needle
    .filter((one) => one !== '')
    .map((one) => ({
      written: `${word} "${one}"`,
      finds: (letter) => look(letter).some((held) => holds(held, one)),
    }))

const key: fc.Memo<Key> = fc.memo((depth) =>
  depth <= 1
    ? fc.oneof(
        fc.constantFrom<Key>(
          { written: 'ALL', finds: () => true },
          { written: 'SEEN', finds: ({ seen }) => seen },
          { written: 'UNFLAGGED', finds: ({ flagged }) => !flagged },
          { written: 'KEYWORD work', finds: ({ keyword }) => keyword === 'work' },
          { written: '10:20', finds: (_, number) => number >= 10 && number <= 20 },
          { written: 'UID 50:*,3', finds: (_, number) => number >= 50 || number === 3 },
        ),
        fc
          .integer({ min: 1, max: 28 })
          .map((day): Key => ({ written: `BEFORE ${day}-Oct-2026`, finds: (one) => one.day < day })),
        fc
          .integer({ min: 1, max: 28 })
          .map((day): Key => ({ written: `SENTON ${day}-Oct-2026`, finds: (one) => one.day === day })),
        about('BODY', body),
        about('TEXT', shown),
        about('SUBJECT', ({ subject }) => [subject]),
        about('FROM', ({ from }) => [from.replaceAll('"', '')]),
        about('HEADER List-Id', ({ note }) => [note]),
      )
    : fc.oneof(
        key(1),
        key(depth - 1).map(
          (one): Key => ({ written: `NOT ${one.written}`, finds: (...given) => !one.finds(...given) }),
        ),
        fc.tuple(key(depth - 1), key(depth - 1)).map(
          ([a, b]): Key => ({
            written: `OR ${a.written} ${b.written}`,
            finds: (...given) => a.finds(...given) || b.finds(...given),
          }),
        ),
        fc.array(key(depth - 1), { minLength: 1, maxLength: 3 }).map(
          (all): Key => ({
            written: `(${all.map(({ written }) => written).join(' ')})`,
            finds: (...given) => all.every((one) => one.finds(...given)),
          }),
        ),
      ),
)

const deleted = [2, 3, 10, 33, 60]

for (const [state, prepare, gone] of [
  ['before messages are indexed', async () => {}, []],
  ['once they are', () => stage.index(), []],
  ['but what was deleted elsewhere without its client told', () => scene.expunge(...deleted), deleted],
] as const) {
  test(`SEARCH finds what a look at every message finds, ${state}`, async () => {
    await prepare()
    const there = (number: number) => !gone.some((one) => one === number)
    await fc.assert(
      fc.asyncProperty(key(4), async ({ written, finds }) => {
        const expected = letters.flatMap((letter, at) => (there(at + 1) && finds(letter, at + 1) ? [at + 1] : []))
        const [said] = await scene.session.run(`SEARCH ${written}`)
        assert.equal(said, `* SEARCH${expected.map((number) => ` ${number}`).join('')}`, written)
      }),
      { numRuns: 150, seed },
    )
  })
}

const command = { tag: 'a', name: 'SEARCH', args: new Parser({ text: '', literals: [] }, true) }

test('the index of words finds every message that has a text, and of one word or two no other', async () => {
  await stage.index()
  const all = Places.all(letters.length)
  await fc.assert(
    fc.asyncProperty(needle, fc.constantFrom('text' as const, 'body' as const), async (one, place) => {
      const sought = { in: place, text: folded(one) }
      const scope = new Scope(scene.session, command)
      const { yes, maybe } = await siftTexts(scope, sought, all, 0)
      for (const [at, letter] of letters.entries()) {
        const isThere =
          !deleted.includes(at + 1) && (place === 'body' ? body : shown)(letter).some((held) => holds(held, one))
        assert.ok(isThere ? maybe.has(at) : !yes.has(at), `${one} in ${at + 1}`)
        const isDecided = /^[a-zа-я0-9]{1,32}( [a-zа-я0-9]{1,32})?$/.test(sought.text)
        if (isDecided) assert.deepEqual([yes.has(at), maybe.has(at)], [isThere, isThere], `${one} in ${at + 1}`)
      }
    }),
    { numRuns: 200, seed },
  )
})

test('a word is looked up in the mailbox alone, among the few words that have it in them, and with the one that is next to it', async () => {
  const raw = `Subject: x\r\n\r\nzebra\r\n\r\nOn Monday Ann wrote:\r\n> quagga\r\n`
  const [own, other] = [await stage.scene(), await stage.scene()]
  await own.store([[raw], [`Subject: ${Array.from({ length: 300 }, (_, n) => `word${n}`).join(' ')}\r\n\r\n`]])
  const apart = ['alpha', 'omega', 'alpha, omega'].flatMap((subject) => Array<string>(25).fill(subject))
  await own.store(['alpha omega', ...apart].map((subject) => [`Subject: ${subject}\r\n\r\n`]))
  await other.store(Array.from({ length: 50 }, () => [raw]))
  await stage.index()
  const read = async (tx: Tx) => {
    const { rows } = await sql<{ read: number }>`
      select (pg_stat_get_xact_tuples_fetched('mail_search'::regclass) + pg_stat_get_xact_tuples_fetched('mail_words'::regclass))::integer
        as read`.execute(tx)
    return rows[0]?.read ?? 0
  }
  await stage.db.transaction().execute(async (tx) => {
    await sql`set local enable_seqscan = off`.execute(tx)
    const session = own.another({ ...stage.parts, db: tx })
    await session.run('SELECT INBOX')
    for (const [text, most] of [
      ...(['zebra', 'quagga', 'ebr', 'agga'] as const).map((part) => [part, 5] as const),
      ['alpha omega', 45] as const,
    ]) {
      const before = await read(tx)
      const { yes } = await siftTexts(new Scope(session, command), { in: 'text', text }, Places.all(78), 0)
      assert.deepEqual([yes.count, (await read(tx)) - before <= most], [1, true], text)
    }
  })
})
