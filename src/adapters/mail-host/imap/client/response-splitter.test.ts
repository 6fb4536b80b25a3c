import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ResponseSplitter } from './response-splitter.ts'

const line = fc.constantFrom(
  '* OK here',
  '* 3 EXISTS',
  '* 1 FETCH (A "{3}" B',
  'm1 OK {x}',
  '+ ',
  '',
  '* LIST {',
  '{12+3}',
  '{}',
)
const literal = fc.constantFrom('', 'a', '\r\n', '{2}\r\n', 'm1 OK\r\n* BYE', 'x'.repeat(300), 'y'.repeat(20_000))
/** A response as it is on the wire, without its last line break. */
const response = fc
  .tuple(fc.array(fc.tuple(line, fc.constantFrom('', '+'), literal), { maxLength: 3 }), line)
  .map(
    ([parts, end]) => parts.map(([start, plus, text]) => `${start}{${text.length}${plus}}\r\n${text}`).join('') + end,
  )

test('responses are found whole, wherever the stream is cut', () => {
  const cuts = fc.array(fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 300_000 })), {
    minLength: 1,
    maxLength: 8,
  })
  const property = fc.property(fc.array(response, { maxLength: 6 }), cuts, (responses, lengths) => {
    const stream = Buffer.from(responses.map((text) => `${text}\r\n`).join(''), 'latin1')
    const splitter = new ResponseSplitter()
    const found: string[] = []
    for (let at = 0, turn = 0; at < stream.length; turn++) {
      const length = lengths[turn % lengths.length] ?? 1
      splitter.push(stream.subarray(at, at + length))
      while (splitter.next()) found.push(splitter.bytes.toString('latin1', splitter.start, splitter.end))
      at += length
    }
    assert.deepEqual(found, responses)
  })
  fc.assert(property, { numRuns: 1_000 })
})

test('a response without measure is not waited for', () => {
  const splitter = new ResponseSplitter()
  splitter.push(Buffer.from('* 1 FETCH (BODY[] {999999999}\r\n'))
  assert.throws(() => splitter.next(), /1000000030 bytes/)
  const endless = new ResponseSplitter()
  assert.throws(() => {
    for (let chunks = 0; chunks < 10 && !endless.next(); chunks++) endless.push(Buffer.alloc(10 << 20, 'a'))
  }, /73400320 bytes/)
})

test('the memory of a long response is not kept', () => {
  const splitter = new ResponseSplitter()
  splitter.push(Buffer.from('* 1 FETCH (BODY[] {1000000}\r\n'))
  assert.equal(splitter.next(), false)
  for (const piece of [Buffer.alloc(1_000_000), Buffer.from(')\r\n')]) splitter.push(piece)
  assert.deepEqual([splitter.next(), splitter.end - splitter.start], [true, 1_000_030])
  assert.ok(splitter.bytes.length > 1_000_000)
  assert.deepEqual([splitter.next(), splitter.bytes.length], [false, 16_384])
})
