import assert from 'node:assert/strict'
import { test } from 'node:test'
import { why } from './why.ts'

/** The end of the reason, where an error has come from. */
const here = /\nat .*why\.test\.ts:\d+:\d+\)?$/

for (const [what, error, expected] of [
  ['a text', 'plain', /^plain$/],
  ['nothing', undefined, /^undefined$/],
  ['an error', new TypeError('wrong'), /^TypeError: wrong\nat [^\n]*why\.test\.ts/],
  [
    'an error and its cause',
    new Error('outer', { cause: new Error('inner\nand more') }),
    /^Error: outer\nbecause of Error: inner\nand more\nat /,
  ],
  ['many lines', new Error(Array.from('x'.repeat(40)).join('\n')), /^Error: x\n(x\n){12}… and 27 lines\nat /],
  ['a long line', new Error('y'.repeat(5_000)), /^Error: y{192}…\nat /],
] as const)
  test(`the reason for a failure by ${what} is short`, () => {
    const text = why(error)
    assert.match(text, expected)
    if (error instanceof Error) assert.match(text, here)
  })
