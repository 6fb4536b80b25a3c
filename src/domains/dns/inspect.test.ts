import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ZoneResolver } from '#/domains/resolver/zone.ts'
import { ed25519, findingOn, host, mx, ours, rsa, table, token, type Zone } from '#test/world/dns/inspecting.ts'
import { printable } from './finding.ts'
import { inspect } from './inspect.ts'
import { wantedRecords } from './records.ts'

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

const spf = (...txt: string[]) => ({ ...ours, 'example.com': { txt: ['site-verification=1', ...txt] } })
const wanted = { 'example.com': { txt: [`v=spf1 a:${host} ~all`] } }
/** A record that includes this one. */
const including = (included: Zone[string]) => ({
  ...spf('v=spf1 include:_spf.example.net -all'),
  '_spf.example.net': included,
})

table('spf', [
  ['the record as wanted', spf(`v=spf1 a:${host} ~all`), null],
  ['the record as wanted, our addresses unknown', wanted, null],
  ['the same, our addresses out of reach', { ...wanted, [host]: { fails: 'timeout' } }, null],
  ['us among others', spf(`V=SPF1 ip4:198.51.100.0/24 A:${host} -all`), null],
  ['our addresses', spf('v=spf1 ip4:192.0.2.0/24 ip6:2001:db8::/32 -all'), null],
  ['one of our addresses', spf('v=spf1 ip4:192.0.2.0/24 -all'), 'mismatch', /does not allow mx\.mailroom\.test/],
  ['our addresses in a record that is included', including({ txt: [`v=spf1 a:${host} -all`] }), null],
  ['our host by the MX', { ...spf(), 'example.com': { txt: ['v=spf1 mx -all'], ...mx([10, host]) } }, null],
  ['our host by MX, our addresses unknown', { 'example.com': { txt: ['v=spf1 mx -all'], ...mx([10, host]) } }, null],
  ['everybody', spf('v=spf1 +all'), null],
  ['nothing', ours, 'missing', /^Publish it at example\.com/],
  [
    'others alone',
    spf('v=spf1 include:_spf.example.net exp=why.example.com -all'),
    'mismatch',
    /Change the record to: v=spf1 a:mx\.mailroom\.test include:_spf\.example\.net exp=why\.example\.com -all$/,
  ],
  ['us after all', spf(`v=spf1 -all a:${host}`), 'mismatch', /Change the record to: v=spf1 a:mx\.mailroom\.test -all$/],
  ['us and the unseen', spf(`v=spf1 a:${host} ~all\0`), 'mismatch', /record to: v=spf1 a:mx\.mailroom\.test ~all$/],
  ['us refused', spf(`v=spf1 -a:${host} ~all`), 'mismatch', /does not allow/],
  ['us refused before we are allowed', spf(`v=spf1 -ip4:192.0.2.25 a:${host} ~all`), 'mismatch', /earlier term/],
  [
    'a redirection',
    { ...spf('v=spf1 redirect=_spf.example.net'), '_spf.example.net': { txt: ['v=spf1 -all'] } },
    'mismatch',
    /Change the record to: v=spf1 a:mx\.mailroom\.test redirect=_spf\.example\.net$/,
  ],
  [
    'several records',
    spf('v=spf1 include:_spf.example.net -all', `v=spf1 a:${host} ~all`),
    'conflict',
    /^2 SPF records .* by one: v=spf1 a:mx\.mailroom\.test include:_spf\.example\.net ~all$/,
  ],
  [
    'too many lookups before us',
    spf(`v=spf1 ${Array.from({ length: 11 }, (_, n) => `a:h${n}.example.net`).join(' ')} a:${host} -all`),
    'mismatch',
    /Receivers can't evaluate the record \(Too many/,
  ],
  ['a syntax error', spf('v=spf1 ip4:1.2.3 -all'), 'mismatch', /can't evaluate the record/],
  ['the value in quotes', spf(`"v=spf1 a:${host} ~all"`), 'mismatch', /^Quotation marks are part/],
  ['the value in curly quotes', spf(`“v=spf1 a:${host} ~all”`), 'mismatch', /^Quotation marks are part/],
  ['a space too many', spf(`v = spf1 a:${host} ~all`), 'mismatch', /must start with v=spf1/],
  ['a space before it', spf(` v=spf1 a:${host} ~all`), 'mismatch', /must start with v=spf1/],
  ['an alias in the way', { 'example.com': { cname: 'shop.example.net' } }, 'conflict', /ALIAS, ANAME/],
  ['the domain twice', { 'example.com.example.com': wanted['example.com'] }, 'missing', /added the domain once more/],
  ['SERVFAIL', { 'example.com': { fails: 'servfail' } }, 'lookup_failed', /keeps its last result/],
  ['SERVFAIL at what is included', including({ fails: 'servfail' }), 'lookup_failed', /keeps its last result/],
])

table('mx', [
  ['our host', { 'example.com': mx([10, host]) }, null],
  ['our host in capitals, at another preference', { 'example.com': mx([5, 'MX.Mailroom.TEST.']) }, null],
  ['nothing', {}, 'missing', /^Publish it at example\.com: .* as @\.$/],
  ['an address alone', { 'example.com': { a: ['192.0.2.1'] } }, 'missing', /^Publish it at/],
  ['another host tried later', { 'example.com': mx([10, host], [20, 'b.example.net']) }, null, /b\.example\.net while/],
  ['another host as good', { 'example.com': mx([10, host], [10, 'b.example.net']) }, null, /before or as often/],
  ['another first', { 'example.com': mx([10, host], [5, 'b.example.net']) }, null, /goes to b\.example\.net before/],
  ['another alone', { 'example.com': mx([10, 'b.example.net']) }, 'mismatch', /points at b\.example\.net: publish/],
  ['a null MX', { 'example.com': mx([0, '']) }, 'mismatch', /null MX/],
  ['an address as its host', { 'example.com': mx([10, '192.0.2.1']) }, 'mismatch', /points at an address/],
  [
    'an alias of our host',
    { 'example.com': mx([10, 'mail.example.com']), 'mail.example.com': { cname: host } },
    'mismatch',
    /alias \(CNAME\) of mx\.mailroom\.test/,
  ],
  ['with the domain added', { 'example.com': mx([10, `${host}.example.com`]) }, 'mismatch', /with a dot at its end/],
  ['the domain twice', { 'example.com.example.com': mx([10, host]) }, 'missing', /added the domain once more/],
  ['an alias in the way', { 'example.com': { cname: 'shop.example.net' } }, 'conflict', /ALIAS, ANAME/],
  [
    'at the registered domain',
    { 'example.com': mx([10, host]) },
    'missing',
    /that is for example\.com, not for mail\.example\.com/,
    'mail.example.com',
  ],
  ['SERVFAIL', { 'example.com': { fails: 'servfail' } }, 'lookup_failed', /keeps its last result/],
  [
    'another host of which nothing can be learnt',
    { 'example.com': mx([10, 'b.example.net']), 'b.example.net': { fails: 'timeout' } },
    'mismatch',
    /points at b\.example\.net: publish/,
  ],
])

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
