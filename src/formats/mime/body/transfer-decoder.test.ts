import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { partWith } from './structure.ts'
import { transferDecoder } from './transfer-decoder.ts'
import { decodePart } from './transfer-encoding.ts'

/** Decodes the text in pieces that end at these places. */
function decoded(encoding: string, text: string, cuts: readonly number[]): string {
  const decoder = transferDecoder(encoding)
  assert.ok(decoder)
  const bytes = Buffer.from(text, 'latin1')
  const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).toSorted((a, b) => a - b), bytes.length]
  const pieces = places.slice(1).map((end, at) => decoder.decode(bytes.subarray(places[at], end)))
  return Buffer.concat([...pieces, decoder.end()]).toString('latin1')
}

const cuts = fc.array(fc.nat(60), { maxLength: 5 })

for (const [encoding, tokens] of [
  ['quoted-printable', ['=', '=\r\n', '\r\n', '\n', ' ', '\t', '=3D', '=c3', '3', 'a', '\xf6', '= ']],
  ['base64', ['AAAA', 'AB', 'C', '=', '==', '\r\n', ' ', '-', '*', '\xf6', '/+']],
  ['8bit', ['a', '\r\n', '=', '\xf6']],
] as const) {
  test(`${encoding} in pieces is what the whole is`, () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...tokens), { maxLength: 30 }), cuts, (words, places) => {
        const text = words.join('')
        const raw = Buffer.from(text, 'latin1')
        const whole = decodePart(raw, partWith({ encoding, start: 0, end: raw.length }))
        assert.equal(decoded(encoding, text, places), whole.toString('latin1'))
      }),
    )
  })
}

for (const [what, text, expected] of [
  ['chunks that are padded each', 'aGk=\r\naGk=\r\nYQ==', 'hihia'],
  ['chunks in one line', 'aGk=aGkhYQ==\r\n', 'hihi!a'],
  ['more padding than there is', 'aGk====\r\n', 'hi'],
  ['a footer in words behind padding', 'aGk=\r\n-- \r\nSent to the list\r\n', 'hi'],
  ['a line behind padding that is too long', `aGk=\r\naGk=\r\n${'aGkh'.repeat(20_000)}\r\naGk=\r\n`, 'hihi'],
  ['a last group that is not whole', 'aGkh\r\nYQ', 'hi!a'],
] as const) {
  test(`base64 is decoded with ${what}`, () => {
    fc.assert(fc.property(cuts, (places) => assert.equal(decoded('BASE64', text, places), expected)))
  })
}

test('a line without an end is decoded with little in memory', () => {
  const decoder = transferDecoder('quoted-printable')
  const piece = Buffer.from('=41b'.repeat(16_384))
  let length = 0
  for (let pieces = 0; pieces < 16; pieces++) length += decoder?.decode(piece).length ?? 0
  assert.ok(length > 14 * 2 * 16_384, 'all but the last pieces')
  assert.equal(length + (decoder?.end().length ?? 0), 16 * 2 * 16_384)
})

test('what nobody can decode is not decoded', () => assert.equal(transferDecoder('x-own'), undefined))
