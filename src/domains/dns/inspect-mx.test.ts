import { host, mx, table } from '#test/dns/inspecting.ts'

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
