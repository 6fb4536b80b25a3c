import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ZoneResolver } from '#/adapters/resolver/zone.ts'
import { ed25519, host, ours, rsa, table, token } from '#test/dns/inspecting.ts'
import { inspect } from './inspect.ts'
import { wantedRecords } from './records.ts'

const dmarc = (...txt: string[]) => ({ '_dmarc.example.com': { txt } })

table('dmarc', [
  ['the record as wanted', dmarc('v=DMARC1; p=none'), null],
  ['a strict one', dmarc('v=DMARC1;p=Reject;rua=mailto:d@example.com;'), null],
  ['one beside other text', dmarc('hello', 'v=DMARC1; p=quarantine'), null],
  ['nothing', {}, 'missing', /as _dmarc\.$/],
  ['other text alone', dmarc('v=spf1 -all'), 'mismatch', /^Publish it at/],
  ['no policy', dmarc('v=DMARC1; rua=mailto:d@example.com'), 'mismatch', /needs p=none/],
  ['an unknown policy', dmarc('v=DMARC1; p=block'), 'mismatch', /none, quarantine or reject/],
  ['small letters', dmarc('v=dmarc1; p=none'), 'mismatch', /start with exactly v=DMARC1;/],
  ['several', dmarc('v=DMARC1; p=none', 'v=DMARC1; p=reject'), 'conflict', /^2 DMARC records/],
  ['quotes', dmarc('"v=DMARC1; p=none"'), 'mismatch', /^Quotation marks/],
  ['backslashes', dmarc('v=DMARC1\\; p=none'), 'mismatch', /^Backslashes/],
  ['at the domain itself', { 'example.com': { txt: ['v=DMARC1; p=none'] } }, 'missing', /at the domain itself/],
  ['the policy of the registered domain', dmarc('v=DMARC1; p=none'), null, undefined, 'a.b.example.com'],
  ['a domain with two', dmarc('v=DMARC1; p=none', 'v=DMARC1; p=none'), 'missing', /^Publish it at/, 'b.example.com'],
  [
    'SERVFAIL at the registered domain',
    { '_dmarc.example.com': { fails: 'servfail' } },
    'lookup_failed',
    /keeps its last result/,
    'b.example.com',
  ],
])

table('mta_sts', [
  ['an id of its own', { '_mta-sts.example.com': { txt: ['v=STSv1; id=20260101T000000'] } }, null],
  ['no id', { '_mta-sts.example.com': { txt: ['v=STSv1;'] } }, 'mismatch', /1 to 32 letters/],
  ['nothing', {}, 'missing', /as _mta-sts\.$/],
])

table('tls_rpt', [
  ['another address', { '_smtp._tls.example.com': { txt: ['v=TLSRPTv1; rua=https://r.example.net/x'] } }, null],
  ['no address', { '_smtp._tls.example.com': { txt: ['v=TLSRPTv1; rua=x'] } }, 'mismatch', /mailto: or https:/],
])

describe('the host of the MTA-STS policy', () => {
  for (const [what, published, problem] of [
    ['an alias of ours', { cname: 'MX.mailroom.test.' }, null],
    ['our addresses', { a: ['192.0.2.25'], aaaa: ['2001:db8::25'] }, null],
    ['other addresses', { a: ['192.0.2.26'] }, 'mismatch'],
    ['an alias of another', { cname: 'www.example.net' }, 'mismatch'],
    ['nothing', {}, 'missing'],
    ['SERVFAIL', { fails: 'servfail' }, 'lookup_failed'],
  ] as const)
    test(`${what}: ${problem ?? 'satisfied'}`, async () => {
      const records = wantedRecords({ domain: 'example.com', token, keys: [] }, host)
      const wanted = records.find(({ type }) => type === 'CNAME')
      assert.ok(wanted)
      const resolver = new ZoneResolver({ ...ours, 'mta-sts.example.com': published })
      assert.equal((await inspect(resolver, wanted, 'example.com')).problem, problem)
    })
})

const r1 = 'r1._domainkey.example.com'
const dkim = (...txt: string[]) => ({ [r1]: { txt } })
const inPieces = `"v=DKIM1; k=rsa; p=${rsa.slice(0, 200)}" "${rsa.slice(200)}"`

table('dkim', [
  ['the record as wanted', dkim(`v=DKIM1; k=rsa; p=${rsa}`), null],
  ['the key alone', dkim(`p=${rsa}`), null],
  ['a folded key with others', dkim(`k=rsa; h=sha1:sha256; s=email; n=x; p=${rsa.replace(/.{60}/g, '$& ')};`), null],
  ['a key for tests', dkim(`v=DKIM1; t=y; p=${rsa}`), null, /^t=y tells/],
  ['behind an alias', { [r1]: { cname: 'k.example.net' }, 'k.example.net': { txt: [`p=${rsa}`] } }, null],
  ['nothing', {}, 'missing', /as r1\._domainkey\.$/],
  ['a key cut off', dkim(`v=DKIM1; k=rsa; p=${rsa.slice(0, 237)}`), 'mismatch', /cut off after 237 of 398 characters/],
  ['another key', dkim(`v=DKIM1; k=rsa; p=${rsa.replace('Zx9', 'AAA')}`), 'mismatch', /^This name has another key/],
  ['a key in small letters', dkim(`v=DKIM1; k=rsa; p=${rsa.toLowerCase()}`), 'mismatch', /^Upper and lower case/],
  ['a revoked key', dkim('v=DKIM1; p='), 'mismatch', /revoked/],
  ['another kind of key', dkim(`v=DKIM1; k=ed25519; p=${rsa}`), 'mismatch', /kind of key is not rsa/],
  ['a key for another hash', dkim(`v=DKIM1; h=sha1; p=${rsa}`), 'mismatch', /sha256/],
  ['a key for something else', dkim(`v=DKIM1; s=tlsrpt; p=${rsa}`), 'mismatch', /not for e-mail/],
  ['the version at the end', dkim(`p=${rsa}; v=DKIM1`), 'mismatch', /must start with exactly v=DKIM1/],
  ['quotes', dkim(`"v=DKIM1; k=rsa; p=${rsa}"`), 'mismatch', /^Quotation marks/],
  ['strings in quotes within the value', dkim(inPieces), 'mismatch', /^Quotation marks/],
  ['backslashes', dkim(`v=DKIM1\\; k=rsa\\; p=${rsa}`), 'mismatch', /^Backslashes/],
  ['two keys', dkim(`p=${rsa}`, 'v=DKIM1; p=AAAA'), 'conflict', /^2 DKIM keys/],
  ['at the domain itself', { 'example.com': { txt: [`p=${rsa}`] } }, 'missing', /is at example\.com, at the domain/],
  ['no selector', { '_domainkey.example.com': { txt: [`p=${rsa}`] } }, 'missing', /e\.com, without the first/],
  ['without _domainkey', { 'r1.example.com': { txt: [`p=${rsa}`] } }, 'missing', /without the second part/],
  ['the domain twice', { [`${r1}.example.com`]: { txt: [`p=${rsa}`] } }, 'missing', /added the domain once more/],
  ['an alias to nowhere', { [r1]: { cname: 'x.example.net' } }, 'conflict', /^\S+ has a CNAME/],
])

test('an Ed25519 key is compared by its octets, with padding or without', async () => {
  const keys = [
    { selector: 'r1', algorithm: 'rsa', publicKey: rsa } as const,
    { selector: 'e1', algorithm: 'ed25519', publicKey: ed25519 } as const,
  ]
  const records = wantedRecords({ domain: 'example.com', token, keys }, host)
  const [, wanted] = records.filter(({ purpose }) => purpose === 'dkim')
  assert.ok(wanted)
  for (const [text, satisfied] of [
    [`v=DKIM1; k=ed25519; p=${ed25519}`, true],
    [`v=DKIM1; k=ed25519; p=${ed25519.replace('=', '')}`, true],
    [`v=DKIM1; p=${ed25519}`, false],
  ] as const) {
    const resolver = new ZoneResolver({ 'e1._domainkey.example.com': { txt: [text] } })
    assert.equal((await inspect(resolver, wanted, 'example.com')).satisfied, satisfied, text)
  }
})
