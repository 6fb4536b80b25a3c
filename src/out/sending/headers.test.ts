import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readHeaders } from '#/formats/mime/header/headers.ts'
import { ajv } from '#/http/validation/validate.ts'
import { extraHeaders, extraHeadersOf, givenHeaders } from './headers.ts'
import { type SendingBody, SendRequest } from './schemas.ts'

const unsubscribe = { 'list-unsubscribe': '<https://example.com/u?a=1,2>, <mailto:u@example.com?subject=x>' }
const oneClick = 'List-Unsubscribe=One-Click'

for (const [what, given, expected] of [
  ['X-* of any case, written in one', { 'x-CAMPAIGN-id': ' a ' }, ['X-Campaign-Id: a']],
  ['several values of an X-*', { 'X-Tag': ['a', 'b'] }, ['X-Tag: a', 'X-Tag: b']],
  ['ways to unsubscribe', unsubscribe, [`List-Unsubscribe: ${unsubscribe['list-unsubscribe']}`]],
  [
    'unsubscribing by one click',
    { 'List-Unsubscribe-Post': oneClick, 'List-Unsubscribe': '<https://example.com/u>' },
    [`List-Unsubscribe-Post: ${oneClick}`, 'List-Unsubscribe: <https://example.com/u>'],
  ],
  ['how it was sent', { 'Auto-Submitted': 'auto-generated' }, ['Auto-Submitted: auto-generated']],
  ['how it matters', { precedence: 'Bulk', Importance: 'high' }, ['Precedence: Bulk', 'Importance: high']],
] as const)
  test(`a message may have ${what}`, () => {
    const written = extraHeaders(given as never).map(({ name, value }) => `${name}: ${value}`)
    assert.deepEqual(written, expected)
  })

const refused: Readonly<Record<string, unknown>> = {
  ...{ 'X-Blank': ' ', Precedence: 'bulk\u00e9', 'Auto-Submitted': 'auto-generated; x', Importance: 'urgent' },
  ...Object.fromEntries(
    [
      ...['Subject', 'Received', 'DKIM-Signature', 'Return-Path', 'Comments', 'X-', 'X', 'X-é', 'X-a b', 'X-a:b'],
      ...['X-a\r\nBcc', '', 'X-Mailroom-Filtered-By', 'x-failed-recipients', 'X-UID', 'X-IMAPbase', 'X-Status'],
      ...['Bcc', 'X-Spam-Flag', 'X-Envelope-To', '__proto__', `X-${'a'.repeat(63)}`],
    ].map((name) => [name, 'x']),
  ),
}
const ways = [
  ...['https://example.com/u', '<http://example.com/u>', '<https://example.com/u> <mailto:u@example.com>'],
  ...['<https://example.com/u>,', '<javascript:alert(1)>', '<https://>'],
]
for (const [name, value] of [
  ...Object.entries(refused),
  ['Importance', ['high']] as const,
  ...ways.map((value) => ['List-Unsubscribe', value] as const),
  ...['List-Unsubscribe=Yes', oneClick].map((value) => ['List-Unsubscribe-Post', value] as const),
])
  test(`a message has no ${JSON.stringify(name)} with ${JSON.stringify(value)}`, () => {
    const given = Object.fromEntries([[name, value]]) as never
    assert.throws(() => extraHeaders(given, 'headers.'), { code: 'invalid_request', field: `headers.${name}` })
  })

test('one click needs an https address, and no name comes twice', () => {
  const given = { 'List-Unsubscribe': '<mailto:u@example.com>', 'List-Unsubscribe-Post': oneClick }
  assert.throws(() => extraHeaders(given), { field: 'List-Unsubscribe-Post' })
  assert.throws(() => extraHeaders({ 'X-A': '1', 'x-a': '2' }), { field: 'x-a' })
})

test('all of them together have a limit', () => {
  const given = Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`X-${at}`, 'x'.repeat(998)]))
  assert.throws(() => extraHeaders(given), { field: 'X-16' })
})

test('their number and their values have limits', () => {
  const fits = ajv.compile(SendRequest)
  const least: SendingBody = { from: 'ada@example.com', to: 'bob@example.com', text: 'Hello' }
  const named = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`X-${at}`, 'x']))
  const values = (count: number) => ({ 'X-A': Array.from({ length: count }, () => 'x') })
  for (const [headers, expected] of [
    [named(20), true],
    [named(21), false],
    [values(10), true],
    [values(11), false],
    [values(0), false],
    [{ 'X-A': 'x'.repeat(998) }, true],
    [{ 'X-A': 'x'.repeat(999) }, false],
    [{ 'X-A': '' }, false],
    [{ 'X-A': 'a\r\nBcc: eve@example.com' }, false],
    [{ 'X-A': ['a\nb'] }, false],
    [{ 'X-A': 5 }, false],
    [{ 'X-A': null }, false],
    [[], false],
  ] as const)
    assert.equal(fits({ ...least, headers }), expected, JSON.stringify(headers).slice(0, 80))
})

test('a message that has them gives them back', () => {
  const raw = Buffer.from('X-Tag: a\r\nReceived: x\r\nx-tag: =?utf-8?B?w6k=?=\r\nX-UID: 5\r\nIMPORTANCE: low\r\n\r\n')
  const fields = extraHeadersOf(readHeaders(raw).headers)
  assert.deepEqual(givenHeaders(fields), { 'X-Tag': ['a', 'é'], Importance: 'low' })
})
