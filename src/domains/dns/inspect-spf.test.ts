import { host, mx, ours, table, type Zone } from '#test/dns/inspecting.ts'

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
