import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readHeaders } from './headers.ts'
import { listUnsubscribe } from './list-unsubscribe.ts'

const post = 'List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n'
const ways = (urls: string[], mailto: string[] = [], one_click = false) => ({ urls, mailto, one_click })

for (const [what, header, expected] of [
  ['no field', 'Subject: x\r\n', null],
  ['a web address', 'List-Unsubscribe: <https://a.test/u?x=1>\r\n', ways(['https://a.test/u?x=1'])],
  [
    'both kinds, folded, with a comment',
    'List-Unsubscribe: (leave) <mailto:u@a.test?subject=go>,\r\n <https://a.test/\r\n u>\r\n',
    ways(['https://a.test/u'], ['mailto:u@a.test?subject=go']),
  ],
  ['one click', `List-Unsubscribe: <https://a.test/u>\r\n${post}`, ways(['https://a.test/u'], [], true)],
  ['one click without TLS', `List-Unsubscribe: <http://a.test/u>\r\n${post}`, ways(['http://a.test/u'])],
  ['one click by mail', `List-Unsubscribe: <mailto:u@a.test>\r\n${post}`, ways([], ['mailto:u@a.test'])],
  ['a script', 'List-Unsubscribe: <javascript:alert(1)>, <data:text/html,x>, <file:///etc>\r\n', null],
  ['text without brackets', 'List-Unsubscribe: https://a.test/u\r\n', null],
  ['an address that is none', 'List-Unsubscribe: <https://>, <>, <   >\r\n', null],
  ['one that is too long', `List-Unsubscribe: <https://a.test/${'x'.repeat(3_000)}>\r\n`, null],
] as const)
  test(`ways to unsubscribe: ${what}`, () =>
    assert.deepEqual(listUnsubscribe(readHeaders(Buffer.from(`${header}\r\n`)).headers), expected))

test('of a thousand ways to unsubscribe, ten are kept', () => {
  const many = Array.from({ length: 1_000 }, (_, index) => `<https://a.test/${index}>`).join(', ')
  const found = listUnsubscribe(readHeaders(Buffer.from(`List-Unsubscribe: ${many}\r\n\r\n`)).headers)
  assert.equal(found?.urls.length, 10)
})
