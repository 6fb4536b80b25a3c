import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { hasText } from './find-text.ts'

test('a text is found where String.includes finds it', () => {
  const pieces = fc.array(fc.constantFrom('a', 'b', 'aaaaaaaa', 'abababab', '🙂', ''), { maxLength: 12 })
  const text = pieces.map((all) => all.join(''))
  fc.assert(
    fc.property(text, text, text, (before, sought, after) => {
      assert.equal(hasText(before, sought), before.includes(sought))
      assert.ok(hasText(before + sought + after, sought))
    }),
    { numRuns: 2_000 },
  )
})

test('each character is looked at a few times, whatever both texts repeat', () => {
  const half = 'a'.repeat(4_000)
  const sought = `${half}b${half}`
  let looks = 0
  // Counts what `hasText` looks at beyond the first place that may match.
  const text = Object.assign(new String('a'.repeat(1_000_000)), {
    charCodeAt: (at: number) => {
      looks++
      return at < 1_000_000 ? 97 : Number.NaN
    },
  }) as unknown as string
  assert.equal(hasText(text, sought), false)
  assert.ok(looks <= 1_000_000, `${looks}`)
})
