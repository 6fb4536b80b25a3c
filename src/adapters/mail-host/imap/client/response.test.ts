import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { attributes, type Data, readResponse, type Token } from './response.ts'

for (const [said, expected] of [
  ['+ go on', { kind: 'continue' }],
  ['m1 OK done', { kind: 'status', tag: 'm1', status: 'OK', code: [], text: 'done' }],
  ['m1 no', { kind: 'status', tag: 'm1', status: 'NO', code: [], text: '' }],
  ['m1 NO [tryCreate] not there', { kind: 'status', tag: 'm1', status: 'NO', code: ['TRYCREATE'], text: 'not there' }],
  [
    '* OK [PERMANENTFLAGS (\\Seen a] \\*)] Flags',
    { kind: 'status', tag: undefined, status: 'OK', code: ['PERMANENTFLAGS', ['\\Seen', 'a]', '\\*']], text: 'Flags' },
  ],
  [
    'm1 OK [COPYUID 7 1:3,5 4:6,8] moved',
    { kind: 'status', tag: 'm1', status: 'OK', code: ['COPYUID', '7', '1:3,5', '4:6,8'], text: 'moved' },
  ],
  ['* 12 EXISTS', { kind: 'data', name: 'EXISTS', number: 12, values: [] }],
  ['* SEARCH 1 2  3 ', { kind: 'data', name: 'SEARCH', number: 0, values: ['1', '2', '3'] }],
  ['* VANISHED (EARLIER) 1:3', { kind: 'data', name: 'VANISHED', number: 0, values: [['EARLIER'], '1:3'] }],
  [
    '* LIST (\\HasNoChildren) "/" "a \\"b\\" \\\\ c"',
    { kind: 'data', name: 'LIST', number: 0, values: [['\\HasNoChildren'], '/', 'a "b" \\ c'] },
  ],
  ['* STATUS a[b (MESSAGES 1)', { kind: 'data', name: 'STATUS', number: 0, values: ['a[b', ['MESSAGES', '1']] }],
  [
    '* 1 FETCH (FLAGS (a[b \\Seen) UID 2)',
    { kind: 'data', name: 'FETCH', number: 1, values: [['FLAGS', ['a[b', '\\Seen'], 'UID', '2']] },
  ],
  [
    '* OK [PERMANENTFLAGS (a[b \\*)] Flags',
    { kind: 'status', tag: undefined, status: 'OK', code: ['PERMANENTFLAGS', ['a[b', '\\*']], text: 'Flags' },
  ],
  [
    '* 1 fetch (UID 2 BODY[HEADER.FIELDS (FROM "TO")]<0> {5}\r\na)"\r\n X NIL Y () Z ~{1}\r\n\0)',
    {
      kind: 'data',
      name: 'FETCH',
      number: 1,
      values: [['UID', '2', 'BODY[HEADER.FIELDS (FROM "TO")]<0>', 'a)"\r\n', 'X', null, 'Y', [], 'Z', '\0']],
    },
  ],
] as const) {
  test(`a server's ${JSON.stringify(said)} is read`, () => {
    assert.deepEqual(plain(readResponse(Buffer.from(said, 'latin1'))), expected)
  })
}

for (const said of [
  '',
  'hello',
  'm1 EXISTS',
  '* LIST (',
  '* LIST )',
  '* LIST "',
  '* X {5}\r\nabc',
  `* X ${'('.repeat(9_999)}`,
]) {
  test(`${JSON.stringify(said.slice(0, 20))} is no response, and nothing worse`, () => {
    assert.throws(() => readResponse(Buffer.from(said)), /not IMAP/)
  })
}

test('no octets do more than be read or refused', () => {
  const piece = fc.constantFrom(
    '* ',
    'm1 ',
    'OK ',
    '1 FETCH ',
    '(',
    ')',
    '[',
    ']',
    '"',
    '\\',
    '{1}\r\n',
    ' ',
    'NIL',
    'a',
    '\xff',
  )
  const property = fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
    try {
      const response = readResponse(Buffer.from(pieces.join(''), 'latin1'))
      if (response.kind === 'data') attributes(response)
    } catch (error) {
      assert.match(String(error), /not IMAP/)
    }
  })
  fc.assert(property, { numRuns: 3_000 })
})

/** Strings in place of octets. */
function plain(response: ReturnType<typeof readResponse>): unknown {
  if (response.kind === 'continue') return response
  if (response.kind === 'status') return { ...response, code: response.code.map(text) }
  return { ...response, values: response.values.map(text) } satisfies Record<keyof Data, unknown>
}

function text(token: Token): unknown {
  if (Array.isArray(token)) return token.map(text)
  return token instanceof Buffer ? token.toString('latin1') : token
}
