import assert from 'node:assert/strict'
import { test } from 'node:test'
import { indexText } from './index-text.ts'
import { restText } from './rest-text.ts'

const of = { organizationId: '', mailboxIds: [], messageId: null, hasAttachment: false }
const long = Array.from({ length: 70 }, (_, at) => (at % 36).toString(36)).join('')
const numbered = (count: number) => Array.from(Array(count).keys())

/** `own` is the new text of a body, `all` all of it. */
for (const [what, { own = '', all = own, subject = '', fields = [subject] }, expected] of [
  ['nothing but own text', { own: 'One, two\nthree' }, ['one\ttwo three', '', true, true]],
  [
    'new words of others, and what is next to them',
    { own: 'one two', all: 'one two\n> two three' },
    ['one two', ' two three ', true, true],
  ],
  [
    'own words that are next to others in what they quote, but not those that are apart',
    { own: 'one two three', all: 'one two three\n> three one, two two' },
    ['one two three', ' three one  two two ', true, true],
  ],
  [
    'own words between which something was left out',
    { own: 'one\ntwo', all: 'one\n> three\ntwo' },
    ['one\ttwo', ' three two ', true, true],
  ],
  [
    'own words that are not in the order of the message',
    { own: 'two one never two', all: 'one two' },
    ['two\tone\tnever\ttwo', ' one two ', true, true],
  ],
  [
    'fields, which the body does not speak for',
    { own: 'tea', subject: 'black tea', fields: ['black tea', 'green tea'] },
    ['tea', ' / green tea ', true, true],
  ],
  ['nothing twice', { all: 'one two. One two\n> one two' }, ['', ' one two ', true, true]],
  [
    'parts of a long word, the last of which has its end',
    { own: `a ${long} b` },
    [`a ${long.slice(0, 64)}\tb`, ` ${long.slice(32)} b `, true, true],
  ],
  [
    'all words, but not all pairs, where these are too many',
    {
      all: numbered(130)
        .flatMap((a) => numbered(130).map((b) => `a${a} b${b}.`))
        .join(' '),
    },
    ['', undefined, true, false],
  ],
  ['not all words of too many', { all: numbered(33_000).join(', ') }, ['', undefined, false, false]],
] satisfies [
  string,
  { own?: string; all?: string; subject?: string; fields?: string[] },
  [string, string | undefined, boolean, boolean],
][]) {
  test(`the index has ${what}`, () => {
    const searchable = { subject: [subject], from: [], to: [], cc: [], filename: [], text: [own] }
    const words = indexText(searchable, of, [all])
    const { rest, whole, ordered } = restText(words, { body: [all], fields, complete: true })
    const [text, ...others] = expected
    assert.deepEqual([words.split('\n').at(-1)?.trim(), others[0] && rest, whole, ordered], [text, ...others])
  })
}
