import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findingOn, table, token, type Zone } from '#test/dns/inspecting.ts'
import { printable } from './finding.ts'

const challenge = '_mailroom-challenge.example.com'
const other = { txt: ['another-token'] }
const alias = { cname: 'x.example.net' }

table('ownership', [
  ['the token', { [challenge]: { txt: [token] } }, null],
  ['the token beside others', { [challenge]: { txt: ['another', ` ${token} `] } }, null],
  ['the token behind an alias', { [challenge]: { cname: 'x.example.net' }, 'x.example.net': { txt: [token] } }, null],
  ['nothing', {}, 'missing', /^Publish it at _mailroom-challenge\.example\.com: .* as _mailroom-challenge\.$/],
  ['a name without TXT', { [challenge]: { a: ['192.0.2.1'] } }, 'missing', /^Publish it at/],
  ['another token', { [challenge]: other }, 'mismatch', /^This name has another value/],
  ['the token in quotes', { [challenge]: { txt: [`"${token}"`] } }, 'mismatch', /^Quotation marks are part/],
  ['the token in other letters', { [challenge]: { txt: [token.toLowerCase()] } }, 'mismatch', /upper and lower case/],
  [
    'a whole line',
    { [challenge]: { txt: [`${challenge}. 3600 IN TXT "${token}"`] } },
    'mismatch',
    /^The whole line of a zone file .* Quotation marks/,
  ],
  [
    'the domain twice in the name',
    { [`${challenge}.example.com`]: { txt: [token] } },
    'missing',
    /^The record is at _mailroom-challenge\.example\.com\.example\.com: the DNS provider has added the domain/,
  ],
  ['at the domain itself', { 'example.com': { txt: [token] } }, 'missing', /^The record is at example\.com, at/],
  [
    'without the underscore',
    { 'mailroom-challenge.example.com': { txt: [token] } },
    'missing',
    /^The record is at mailroom-challenge\.example\.com, without the underscore/,
  ],
  [
    'at the registered domain in place of the one below it',
    { '_mailroom-challenge.example.co.uk': { txt: [token] } },
    'missing',
    /that is for example\.co\.uk, not for mail\.example\.co\.uk\. .* as _mailroom-challenge\.mail\.$/,
    'mail.example.co.uk',
  ],
  [
    'the registered domain twice in the name',
    { '_mailroom-challenge.mail.example.co.uk.example.co.uk': { txt: [token] } },
    'missing',
    /added the domain once more/,
    'mail.example.co.uk',
  ],
  ['an alias to nowhere', { [challenge]: { cname: 'x.example.net' } }, 'conflict', /^\S+ has a CNAME, .* x\.example/],
  ['one to other text', { [challenge]: alias, 'x.example.net': other }, 'conflict', /^\S+ has a CNAME/],
  ['SERVFAIL', { [challenge]: { fails: 'servfail' } }, 'lookup_failed', /keeps its last result/],
  ['a time-out', { [challenge]: { fails: 'timeout' } }, 'lookup_failed', /did not answer in time/],
  ['nothing, where what would explain it fails', { 'example.com': { fails: 'timeout' } }, 'missing', /^Publish it at/],
  ['twenty aliases in a row', chain(challenge, 20, token), 'lookup_failed', /keeps its last result/],
  ['eight aliases in a row', chain(challenge, 8, token), null],
  ['an alias of itself', { [challenge]: { cname: challenge } }, 'lookup_failed', /keeps its last result/],
])

function chain(name: string, length: number, text: string): Zone {
  const names = [name, ...Array.from({ length }, (_, n) => `alias-${n}.example.net`)]
  const links = names.slice(0, -1).map((one, n) => [one, { cname: names[n + 1] ?? '' }] as const)
  return Object.fromEntries([...links, [names.at(-1) ?? '', { txt: [text] }]])
}

test('a character that needs two UTF-16 units is shown whole or not at all', () => {
  for (const length of [8, 9]) assert.doesNotMatch(printable(`\0\0${'𐀀'.repeat(4)}`, length), /\p{Cs}/u)
})

test('what is found is bounded in number and length, and printable', async () => {
  const txt = Array.from({ length: 50 }, (_, n) => `${n}\0\r\n\ud800${'x'.repeat(1_000)}`)
  const { found, satisfied } = await findingOn('ownership', { [challenge]: { txt } })
  assert.equal(satisfied, false)
  assert.equal(found.length, 10)
  for (const text of found) assert.match(text, /^\d\\000\\013\\010\\239\\191\\189x+…$/)
  for (const text of found) assert.equal(text.length, 256)
})

test('an answer larger than the DNS can carry is no answer', async () => {
  const { satisfied, problem } = await findingOn('ownership', { [challenge]: { txt: ['x'.repeat(2 ** 20)] } })
  assert.deepEqual({ satisfied, problem }, { satisfied: null, problem: 'lookup_failed' })
})
