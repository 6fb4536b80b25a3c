import assert from 'node:assert/strict'
import { test } from 'node:test'
import { growsTooFast } from '#test/world/observe/growth.ts'
import { fuzzGrowth, type Shape, textOf } from './growth.ts'
import { works } from './growth-work.ts'

const shape = (unit: string, more: Partial<Shape> = {}): Shape => ({
  ...{ start: '', units: [unit, ''], isMixed: false, end: '' },
  ...more,
})

// The slow ones with half as much text, which shows it as well in a quarter of the time.
for (const [what, work, of, part] of [
  [
    'a text that is compared at each place',
    (text: string) => text.includes(`${text.slice(0, text.length / 8)}b${text.slice(0, text.length / 8)}`),
    shape('a'),
    1,
  ],
  ['an expression that begins at each space', (text: string) => /\s+x/.test(text), shape(' '), 1 / 2],
  [
    'marks that are put in order',
    (text: string) => text.normalize('NFD'),
    shape('\u0301', { units: ['\u0301', '\u0316'] }),
    1 / 2,
  ],
] as const)
  test(`growth is noticed: ${what}`, () => assert.ok(growsTooFast(work, (size) => textOf(of, size * part))))

for (const [name, of] of [
  ['a snippet', shape('a ')],
  ['a snippet', shape('東')],
  ['a snippet', shape('東 ')],
  ['the address of a picture', shape('a')],
  ['the address of a picture', shape('&amp;a')],
  ['the words of a text', shape('\u0301', { units: ['\u0301', '\u0316'], start: 'a' })],
  ['a folded text', shape('\u0301\u0316', { start: 'a' })],
  ['an address', shape('\u0301\u0316', { start: 'a', end: '@b.example' })],
  ['the field From', shape('\u0301\u0316', { start: 'a', end: '@b.example' })],
  ['the field Content-Type', shape(':', { units: [':', '\\\0'] })],
  ['ids to be sent', shape('@{', { start: '<' })],
  ['the HTML of a message in the page', shape('<a "')],
] as const)
  test(`${name} takes time in proportion to ${JSON.stringify(of.units.join(''))}`, () =>
    assert.equal(
      growsTooFast(works[name] ?? assert.fail(), (size) => textOf(of, size)),
      false,
    ))

test('nothing that is done with texts of others takes time that grows faster than they do', () => {
  assert.deepEqual(fuzzGrowth(6, Number(process.env.TEST_SEED ?? 1)), [])
})
