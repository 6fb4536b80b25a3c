import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { sliceEnd } from '#/mail/store/octets.ts'
import type { Content } from './contents.ts'
import { ReadAhead } from './read-ahead.ts'
import type { Range } from './section.ts'

const slice = sliceEnd(0, Number.MAX_SAFE_INTEGER)
const raw = Buffer.from(Array.from({ length: 6 * slice + 17 }, (_, at) => (at * 7 + (at >> 8)) & 255))
const content: Content = {
  ...{ contentId: 1, sizeBytes: raw.length, preview: '', head: Buffer.alloc(0), structure: null },
}

/** A client that reads messages in pieces, and what that has the store read. */
class Reader {
  readonly ahead = new ReadAhead(2)
  readonly read: string[] = []
  isGone = false

  async piece(start: number, end: number, name = 'one'): Promise<Buffer> {
    const read = (range: Range) => this.#slices(range)
    const pieces = await Array.fromAsync(this.ahead.octets(name, content, { start, end }, { last: raw.length, read }))
    await nextTurn()
    return Buffer.concat(pieces)
  }

  async *#slices({ start, end }: Range): AsyncGenerator<Buffer> {
    this.read.push(`${start / slice}-${end / slice}`)
    if (this.isGone) throw new Error('It has been deleted')
    for (let at = start; at < end; at = sliceEnd(at, end)) yield raw.subarray(at, sliceEnd(at, end))
  }
}

test('Pieces of messages are what is in them, in whatever order clients ask', async () => {
  const place = fc.integer({ min: 0, max: raw.length })
  const jump = fc.record({ name: fc.constantFrom('one', 'two', 'three'), from: fc.option(place), count: place })
  await fc.assert(
    fc.asyncProperty(fc.array(jump, { maxLength: 20 }), async (jumps) => {
      const reader = new Reader()
      let last = 0
      for (const { name, from, count } of jumps) {
        const start = from ?? last
        last = Math.min(start + (count >> 3) + 1, raw.length)
        if (start >= last) continue
        const octets = await reader.piece(start, last, name)
        assert.ok(octets.equals(raw.subarray(start, last)))
      }
    }),
    { numRuns: 100 },
  )
})

for (const [what, pieces, read] of [
  ['who wants the beginning alone has nothing else read', [[0, 1]], ['0-1']],
  [
    'who goes on has the next piece read meanwhile',
    [0, 1, 2, 3].map((at) => [at, at + 1]),
    ['0-1', '1-2', '2-3', '3-4', '4-5'],
  ],
  [
    'several small pieces are in what was read',
    [0, 1, 2, 3, 4, 5].map((at) => [at / 4, (at + 1) / 4]),
    ['0-0.25', '0.25-0.5', '0.5-1.5', '1.5-2.5'],
  ],
  [
    'behind a larger piece a part of the next is there',
    [
      [0, 1.5],
      [1.5, 3],
    ],
    ['0-1.5', '1.5-3', '3-4'],
  ],
  [
    'who jumps has what is there read',
    [
      [0, 1],
      [1, 2],
      [4, 5],
    ],
    ['0-1', '1-2', '2-3', '4-5'],
  ],
  [
    'behind the end there is nothing',
    [
      [4, 5],
      [5, raw.length / slice],
    ],
    ['4-5', `5-${raw.length / slice}`],
  ],
] as const) {
  test(`Of a message that is read in pieces, ${what}`, async () => {
    const reader = new Reader()
    for (const [start, end] of pieces) await reader.piece((start ?? 0) * slice, (end ?? 0) * slice)
    assert.deepEqual(reader.read, read)
  })
}

test('Who asks for what could not be read ahead hears why, and of few messages anything is kept', async () => {
  const reader = new Reader()
  await reader.piece(0, slice)
  reader.isGone = true
  await assert.rejects(reader.piece(slice, 2 * slice))
  for (const name of ['two', 'three']) {
    reader.isGone = false
    await reader.piece(0, slice, name)
    reader.isGone = true
    await assert.rejects(reader.piece(slice, 2 * slice, name))
  }
  assert.deepEqual(
    ['one', 'two', 'three'].map((name) => reader.ahead.contentOf(name) !== undefined),
    [false, true, true],
  )
})
