import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { createGunzip, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { anyCharacter } from '#test/world/any-character.ts'
import { type Entry, entriesOf, Lines, UnusableFile } from './file.ts'

const header: Parameters<Lines['header']>[0] = {
  ...{ mailroom: '1.2.3', exported_at: '2026-11-21T07:44:33.123Z', migrations: [['001-first.sql', 'abc']] },
  ...{ secret_fingerprint: null, rows: { one: 1 } },
}

const row = fc.dictionary(fc.string(), fc.option(fc.string({ unit: anyCharacter }))).map((one) => JSON.stringify(one))
const table = fc.record({ name: fc.string({ minLength: 1 }), rows: fc.array(row) })

type Tables = readonly { name: string; rows: readonly string[] }[]

function fileOf(tables: Tables): Buffer {
  const lines = new Lines()
  return gzipSync(
    Buffer.concat([
      lines.header(header),
      ...tables.flatMap(({ name, rows }) => [lines.mark({ table: name }), lines.rows(rows)]),
      lines.mark({ sequences: [['one_id_seq', 7]] }),
      lines.mark({ end: true }),
    ]),
  )
}

/** What is read of a file that comes in pieces of this many octets. */
async function read(file: Buffer, piece = 1_000): Promise<(Exclude<Entry, { row: Buffer }> | string)[]> {
  const starts = Array.from({ length: Math.ceil(file.length / piece) }, (_, at) => at * piece)
  const pieces = Readable.from(starts.map((start) => file.subarray(start, start + piece)))
  const gunzip = pieces.on('error', () => {}).pipe(createGunzip({ chunkSize: 64 }))
  return (await Array.fromAsync(entriesOf(gunzip))).map((entry) => ('row' in entry ? entry.row.toString() : entry))
}

test('what is written is read, whatever the rows hold and however it comes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(table, { maxLength: 4 }), fc.integer({ min: 1, max: 300 }), async (tables, piece) => {
      assert.deepEqual(await read(fileOf(tables), piece), [
        { header: { format: 'mailroom export', version: 1, ...header } },
        ...tables.flatMap(({ name, rows }) => [{ table: name }, ...rows]),
        { sequences: [['one_id_seq', 7]] },
        { end: true },
      ])
    }),
    { numRuns: 50 },
  )
})

const rows = Array.from({ length: 50 }, (_, at) => JSON.stringify({ id: String(at), text: 'x'.repeat(at) }))
const file = fileOf([{ name: 'one', rows }])

test('a file that is cut short anywhere is refused', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: file.length - 1 }), async (length) => {
      await assert.rejects(read(file.subarray(0, length)), UnusableFile)
    }),
  )
})

test('a file with a bit that was flipped is refused, or says the same', async () => {
  const whole = await read(file)
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: file.length - 1 }), fc.nat({ max: 7 }), async (at, bit) => {
      const changed = file.with(at, (file[at] ?? 0) ^ (1 << bit))
      const found = await read(Buffer.from(changed)).catch((error: unknown) => error)
      // The head of gzip holds a time and more that nothing depends on.
      if (!(found instanceof UnusableFile)) assert.deepEqual(found, whole)
    }),
  )
})

test('lines that were changed and compressed anew are refused', async () => {
  const lines = new Lines()
  const [top, rows] = [lines.header(header), lines.mark({ table: 'one' })]
  const text = Buffer.concat([top, rows, lines.rows(['{"id":"1"}']), lines.mark({ end: true })]).toString()
  assert.equal((await read(gzipSync(text))).length, 4)
  for (const [what, changed] of [
    ['a row', text.replace('"1"', '"2"')],
    ['the header', text.replace('1.2.3', '1.2.4')],
    ['a table', text.replace('"one"', '"two"')],
    ['a row less', text.replace('{"id":"1"}\n', '')],
    ['something behind the end', `${text}{"id":"2"}\n`],
  ] as const)
    await assert.rejects(read(gzipSync(changed)), /^UnusableFile: The file is damaged/, what)
})

for (const [what, content, sentence] of [
  ['an empty one', Buffer.alloc(0), /cut short/],
  ['a text', Buffer.from('Dear all,\n'), /no file that `mailroom export` has written/],
  ['a text in gzip', gzipSync('Dear all,\n'), /no file that `mailroom export` has written/],
  ['JSON in gzip', gzipSync('#{"format":"other"}\n'), /no file that `mailroom export` has written/],
  [
    'one of a later format',
    gzipSync('#{"format":"mailroom export","version":2,"mailroom":"9.0.0"}\n'),
    /was written by Mailroom 9\.0\.0: import it with that version or a later one/,
  ],
] as const)
  test(`${what} is no file of ours`, () => assert.rejects(read(content), sentence))
