import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { foldCase } from '#/base/text/text.ts'
import { parseAddresses } from '#/formats/mime/address/address-list.ts'
import { readMessage } from '#/formats/mime/read-message.ts'
import type { FilterFields } from './filter.ts'
import { type FilterInput, filterInput, fold, withRecipient } from './filter-input.ts'
import { applyFilters, compileFilter, matchedText, matches } from './matching.ts'

const acts = { argument: null, enabled: true, broken: null } as const
const plain = { name: 'A filter', field: 'from', op: 'contains', value: 'ann', action: 'star', ...acts } as const

const filter = (change: Partial<FilterFields> & { broken?: 'label_deleted' } = {}, id = 'f1') =>
  compileFilter({ ...plain, ...change }, id)

/** The input of a message as it arrives. */
function arriving(headers: string, recipient = 'team@tryout.test'): FilterInput {
  return withRecipient(filterInput(readMessage(Buffer.from(`${headers}\r\n\r\nHello\r\n`))), recipient)
}

const message = arriving(
  [
    'From: Ann Lee <ann@example.com>, bob@Example.ORG',
    'Sender: "Office" <office@example.net>',
    'To: Cleo <cleo@tryout.test>',
    'Cc: dan@tryout.test',
    'Subject: Your  invoice\r\n\tof May [5]',
  ].join('\r\n'),
)

for (const [what, change, expected] of [
  ['a part of the sender, whatever its case', { value: 'ANN@' }, true],
  ['a part of a display name', { value: 'lee' }, true],
  ['the second author', { value: 'bob@' }, true],
  ['the Sender header', { value: 'office' }, true],
  ['not what lies across two addresses', { value: 'com bob' }, false],
  ['not the name and address run together', { value: 'lee <ann' }, false],
  ['an address with "is"', { op: 'is', value: 'ann@example.com' }, true],
  ['an address with "is", whatever its case', { op: 'is', value: 'BOB@example.org' }, true],
  ['not a part of the sender with "is"', { op: 'is', value: 'ann' }, false],
  ['not a display name with "is"', { op: 'is', value: 'Ann Lee' }, false],
  ['not the domain with "is"', { op: 'is', value: '@example.com' }, false],
  ['To', { field: 'to', value: 'cleo' }, true],
  ['Cc', { field: 'to', op: 'is', value: 'dan@tryout.test' }, true],
  ['the envelope recipient', { field: 'to', op: 'is', value: 'TEAM@tryout.test' }, true],
  ['a part of the envelope recipient', { field: 'to', value: 'team@' }, true],
  ['not the sender in "to"', { field: 'to', value: 'ann' }, false],
  ['not a recipient in "from"', { field: 'from', value: 'cleo' }, false],
  ['a part of the subject', { field: 'subject', value: 'INVOICE' }, true],
  ['a part of a folded subject', { field: 'subject', value: 'invoice of may' }, true],
  ['the whole subject, white space folded', { field: 'subject', op: 'is', value: ' your invoice of  May [5] ' }, true],
  ['not a part of the subject with "is"', { field: 'subject', op: 'is', value: 'invoice' }, false],
  ['brackets as themselves', { field: 'subject', value: '[5]' }, true],
  ['no pattern', { field: 'subject', value: 'inv.*' }, false],
  ['no wildcard', { field: 'subject', op: 'is', value: '*' }, false],
] as const)
  test(`A filter matches ${what}`, () => assert.equal(matches(filter(change), message), expected))

for (const [what, headers, change, expected] of [
  ['its text in an encoded word', 'Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=', { value: 'GRÜSSE' }, true],
  ['its text across two encoded words', 'Subject: =?utf-8?B?w6nDqQ==?=\r\n =?utf-8?B?w6k=?=', { value: 'ééé' }, true],
  ['its text in raw UTF-8', 'Subject: Grüße', { value: 'grüße' }, true],
  ['its text in a header that is folded', 'Subject: one\r\n two', { value: 'one two' }, true],
  ['not the encoding', 'Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=', { value: 'utf-8' }, false],
  ['compatible forms (NFKC)', 'Subject: Ｓａｌｅ №\u00a05', { value: 'sale no 5' }, true],
  ['accents apart', 'Subject: cafe\u0301', { value: 'CAFÉ' }, true],
  ['the Kelvin sign as a k', 'Subject: \u212Aelvin', { op: 'is', value: 'kelvin' }, true],
  ['the long s as an s', 'Subject: ſum', { value: 'SUM' }, true],
  ['nothing where there is no subject', 'X: y', { value: 'y' }, false],
] as const)
  test(`A subject matches by ${what}`, () =>
    assert.equal(matches(filter({ field: 'subject', ...change }), arriving(headers)), expected))

for (const [what, from, change, expected] of [
  ['a decoded display name', '=?iso-8859-1?Q?J=F6rg?= <j@x.test>', { value: 'jörg' }, true],
  ['an address, not the display name that shows one', '"a@b.c" <x@y.test>', { op: 'is', value: 'a@b.c' }, false],
  ['the address behind such a name', '"a@b.c" <x@y.test>', { op: 'is', value: 'x@y.test' }, true],
  ['a display name that shows an address, with "contains"', '"a@b.c" <x@y.test>', { value: 'a@b.c' }, true],
  ['a domain in its ASCII form', 'j@bücher.example', { op: 'is', value: 'j@xn--bcher-kva.example' }, true],
  ['a domain in its Unicode form', 'j@xn--bcher-kva.example', { op: 'is', value: 'J@BÜCHER.example' }, true],
  ['a part of a domain in its Unicode form', 'j@xn--bcher-kva.example', { value: '@bücher' }, true],
  ['what is no address as a text', 'undisclosed', { value: 'undisclosed' }, true],
] as const)
  test(`A sender matches by ${what}`, () => assert.equal(matches(filter(change), arriving(`From: ${from}`)), expected))

test('The text that matched is shown as the message has it', () => {
  assert.equal(matchedText(filter({ value: 'lee' }), message), 'Ann Lee')
  assert.equal(matchedText(filter({ value: 'org' }), message), 'bob@Example.ORG')
  assert.equal(matchedText(filter({ op: 'is', value: 'bob@example.org' }), message), 'bob@Example.ORG')
  assert.equal(matchedText(filter({ value: 'nobody' }), message), undefined)
})

for (const argument of ['Bills', 'inbox'])
  test(`Of two moves that match the first in the list wins, also to where the message is: ${argument}`, () => {
    const filters = [filter({ action: 'move', argument }, 'f1'), filter({ action: 'move', argument: 'archive' }, 'f2')]
    const { folder, trace } = applyFilters(filters, message, 'inbox')
    assert.equal(folder, argument)
    assert.deepEqual(trace, [{ filter_id: 'f1', name: 'A filter', action: 'move', argument }])
  })

test('Labels, star and read add up', () => {
  const filters = [
    ...['work', 'bills', 'work'].map((argument) => filter({ action: 'label', argument })),
    ...[filter({ action: 'star' }), filter({ action: 'move', argument: 'Bills' }), filter({ action: 'read' })],
  ]
  const { trace, ...placed } = applyFilters(filters, message, 'inbox')
  assert.deepEqual(placed, { folder: 'Bills', seen: true, flagged: true, keywords: ['work', 'bills'], errors: [] })
  assert.equal(trace.length, filters.length)
})

for (const [what, idle] of [
  ['A disabled filter', { enabled: false }],
  ['A filter whose label is deleted', { action: 'label', argument: 'gone', broken: 'label_deleted' }],
  ['A filter that does not match', { value: 'nobody' }],
] as const)
  test(`${what} never runs`, () => {
    const untouched = { folder: 'inbox', seen: false, flagged: false, keywords: [], trace: [], errors: [] }
    assert.deepEqual(applyFilters([filter(idle)], message, 'inbox'), untouched)
  })

test('An error in one filter leaves the others to act', () => {
  const failing = {
    ...filter(),
    get needle(): string {
      throw new Error('broken')
    },
  }
  const { flagged, errors } = applyFilters([failing, filter({ action: 'star' })], message, 'junk')
  assert.equal(flagged, true)
  assert.equal(errors.length, 1)
})

for (const action of ['move', 'label'] as const)
  test(`A filter to ${action} that names nothing is an error, and leaves the message where it was`, () => {
    const { errors, ...placed } = applyFilters([filter({ action })], message, 'inbox')
    assert.equal(errors.length, 1)
    assert.deepEqual(placed, { folder: 'inbox', seen: false, flagged: false, keywords: [], trace: [] })
  })

test('Where no filter moves it, a message stays in its folder', () =>
  assert.equal(applyFilters([filter()], message, 'junk').folder, 'junk'))

test('"contains" is found exactly where one text holds the other, case and white space folded', () => {
  const unit = fc.constantFrom('a', 'B', 'ß', 'ſ', 'é', ' ', '\u00a0', '.', '*', '@')
  const words = fc.string({ unit, maxLength: 6 })
  fc.assert(
    fc.property(words, words, words, (before, value, after) => {
      fc.pre(value.trim() !== '')
      const seen = filterInput({ subject: before + value + after, sender: [], to: [], cc: [] })
      assert.equal(matches(filter({ field: 'subject', value: value.toUpperCase() }), seen), true)
      const shown = matchedText(filter({ field: 'subject', value: value.toLowerCase() }), seen)
      assert.equal(shown, before + value + after)
    }),
  )
})

test('A list of thousands of recipients is looked at in bounded time, and "is" sees them all', () => {
  const many = Array.from({ length: 5_000 }, (_, index) => ({ name: `P ${index}`, address: `p${index}@x.test` }))
  const seen = filterInput({ subject: '', sender: [], to: many, cc: [] })
  assert.ok(seen.to.lines.length <= 8_192)
  assert.equal(matches(filter({ field: 'to', op: 'is', value: 'p4999@x.test' }), seen), true)
  assert.equal(matches(filter({ field: 'to', value: 'p99@' }), seen), true)
})

test('The envelope recipient is found however long the list in To is', () => {
  const to = parseAddresses(Array.from({ length: 900 }, (_, index) => `someone.far.away.${index}@x.test`).join(', '))
  const seen = withRecipient(filterInput({ subject: '', sender: [], to, cc: [] }), 'team@tryout.test')
  assert.equal(matches(filter({ field: 'to', value: 'team@' }), seen), true)
})

test('text that needs no more than its case folded is folded as any other', () => {
  const character = fc.oneof(
    fc.constantFrom(...' aZ@.~\t\n\x7fÄ\u00a0ﬀ'),
    fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 1 }),
  )
  fc.assert(
    fc.property(fc.string({ unit: character, maxLength: 12 }), (text) => {
      assert.equal(fold(text), foldCase(text.normalize('NFKC')).normalize('NFKC').replace(/\s+/g, ' '))
    }),
  )
})
