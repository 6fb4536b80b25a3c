import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ZoneResolver } from '#/adapters/resolver/zone.ts'
import { host, ours, table, token } from '#test/dns/inspecting.ts'
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
