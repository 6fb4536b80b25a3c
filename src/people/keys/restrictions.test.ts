import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listIn, networksIn, rateIn, recipientsIn } from './restrictions.ts'

test('recipients are stored as blocked senders are, each once', () => {
  const given = 'Bob@Else.example, @BÜCHER.example,bob@else.example'
  assert.deepEqual(recipientsIn(given), ['bob@else.example', '@xn--bcher-kva.example'])
})

for (const [text, wrong] of [
  ['bob', 'bob'],
  ['bob@else.example,*@there.example', '*@there.example'],
  ['there.example', 'there.example'],
  ['Bob <bob@else.example>', 'Bob <bob@else.example>'],
] as const)
  test(`the recipients "${text}" are refused, naming ${wrong}`, () =>
    assert.throws(
      () => recipientsIn(text),
      (error: Error) => error.message.startsWith(`"${wrong}" is no recipient`),
    ))

test('networks are stored in one form, each once', () =>
  assert.deepEqual(networksIn('192.0.2.0/24, ::ffff:192.0.2.0/120'), ['192.0.2.0/24']))

for (const text of ['', ' ', 'a,', ',a', 'a,,b'])
  test(`"${text}" is no list`, () =>
    assert.throws(() => listIn('mailboxes', text), { field: 'mailboxes', message: /^--mailboxes has an empty entry/ }))

test('a list has at most 100 entries', () => {
  const names = Array.from({ length: 101 }, (_, at) => `a${at}`)
  assert.equal(listIn('mailboxes', names.slice(1).join(',')).length, 100)
  assert.throws(() => listIn('mailboxes', names.join(',')), { field: 'mailboxes', message: /at most 100/ })
})

for (const text of ['1', ' 60 ', '599'])
  test(`the rate "${text}" is taken`, () => assert.equal(rateIn(text), Number(text)))

for (const text of ['', '0', '600', '1e2', '-5', '1.5', '60/m', '1000'])
  test(`"${text}" is no rate`, () =>
    assert.throws(() => rateIn(text), { field: 'rate', message: /is no rate: .* from 1 to 599$/ }))
