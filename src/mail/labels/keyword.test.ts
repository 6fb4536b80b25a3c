import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { deriveKeyword, keywordFor } from './keyword.ts'

const sha = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 8)

for (const [name, keyword] of [
  ['Invoices', 'invoices'],
  ['Invoices 2026', 'invoices-2026'],
  ['  To  do!  ', 'to-do'],
  ['Crème brûlée', 'creme-brulee'],
  ['Cre\u0300me', 'creme'],
  ['Straße', 'stra-e'],
  ['İstanbul', 'istanbul'],
  ['ﬁle №5', 'file-no5'],
  ['A/B & C', 'a-b-c'],
  ['__x__', 'x'],
  ['x'.repeat(45), 'x'.repeat(40)],
  [`${'x'.repeat(39)} y`, 'x'.repeat(39)],
  ['发票', `label-${sha('发票')}`],
  ['ПОЧТА', `label-${sha('почта')}`],
  ['😀', `label-${sha('😀')}`],
  ['!!', `label-${sha('!!')}`],
] as const)
  test(`"${name}" gives the keyword ${keyword}`, () => assert.equal(deriveKeyword(name), keyword))

test('A keyword in use gets the first free suffix from -2', () => {
  assert.equal(keywordFor('Work', new Set(['work'])), 'work-2')
  assert.equal(keywordFor('Work', new Set(['work', 'work-2', 'work-4'])), 'work-3')
  assert.equal(keywordFor('Work', new Set(['work-2'])), 'work')
})

for (const name of [
  ...['Junk', 'NonJunk', 'NotJunk', 'Forwarded', '$MDNSent', '\\Seen', 'answered', 'flagged', 'deleted', 'Draft'],
  ...['recent', 'old', 'Phishing'],
])
  test(`"${name}" is taken from the start`, () => assert.match(keywordFor(name, new Set()), /^[a-z]+-2$/))

test('A keyword is 1 to 40 atom characters, the same for a name composed, decomposed or again', () =>
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (name) => {
      const keyword = deriveKeyword(name)
      assert.match(keyword, /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/)
      assert.equal(deriveKeyword(name.normalize('NFD')), keyword)
      assert.equal(deriveKeyword(name), keyword)
    }),
  ))

test('A chosen keyword is never one in use', () => {
  const names = fc.array(fc.constantFrom('Work', 'WORK!', 'work 2', 'Junk', 'junk-2', '发票', 'x'.repeat(41)))
  fc.assert(
    fc.property(names, (many) => {
      const used = new Set<string>()
      for (const name of many) used.add(keywordFor(name, used))
      assert.equal(used.size, many.length)
    }),
  )
})
