import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '#test/world/any-character.ts'
import { decodeUtf7, encodeUtf7 } from './modified-utf7.ts'

for (const [name, encoded] of [
  ['Projects', 'Projects'],
  ['Tom & Jerry', 'Tom &- Jerry'],
  ['Entwürfe', 'Entw&APw-rfe'],
  ['台北&日本', '&U,BTFw-&-&ZeVnLA-'],
  ['\u{1f600}', '&2D3eAA-'],
  ['a\r\nb DELETE c', 'a&AA0ACg-b DELETE c'],
] as const)
  test(`a folder ${JSON.stringify(name)} is ${encoded} to a server`, () => {
    assert.equal(encodeUtf7(name), encoded)
    assert.equal(decodeUtf7(encoded), name)
  })

test('whatever a folder is called, its name goes out as printable ASCII, and comes back', () =>
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (name) => {
      const encoded = encodeUtf7(name)
      assert.equal(decodeUtf7(encoded), name)
      assert.match(encoded, /^[\x20-\x7e]*$/)
    }),
    { numRuns: 2_000 },
  ))
