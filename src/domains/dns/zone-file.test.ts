import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '#test/world/any-character.ts'
import { wantedRecords } from './records.ts'
import { zoneFile } from './zone-file.ts'

test('the records of a domain as a zone file', () => {
  const keys = [{ selector: 'r1', algorithm: 'rsa', publicKey: 'A'.repeat(392) }] as const
  const records = wantedRecords({ domain: 'example.com', token: 'token', keys }, 'mx.example.net')
  const policy = records.find(({ purpose }) => purpose === 'mta_sts')?.value
  const key = `v=DKIM1; k=rsa; p=${'A'.repeat(392)}`
  assert.deepEqual(zoneFile('example.com', records).split('\n'), [
    '; DNS records of example.com for Mailroom',
    '_mailroom-challenge.example.com. 3600 IN TXT "token"',
    'example.com. 3600 IN MX 10 mx.example.net.',
    'example.com. 3600 IN TXT "v=spf1 a:mx.example.net ~all"',
    '_dmarc.example.com. 3600 IN TXT "v=DMARC1; p=none"',
    `r1._domainkey.example.com. 3600 IN TXT "${key.slice(0, 255)}" "${key.slice(255)}"`,
    `_mta-sts.example.com. 3600 IN TXT "${policy}"`,
    'mta-sts.example.com. 3600 IN CNAME mx.example.net.',
    '_smtp._tls.example.com. 3600 IN TXT "v=TLSRPTv1; rua=mailto:postmaster@example.com"',
    '',
  ])
})

test('with nothing outstanding it holds a comment alone', () =>
  assert.equal(zoneFile('example.com', []), '; DNS records of example.com for Mailroom\n'))

test('whatever a value holds, it stays in strings of at most 255 octets on a line of its own', () => {
  const [record] = wantedRecords({ domain: 'example.com', token: '', keys: [] }, 'mx.example.net')
  assert.ok(record)
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 700 }), (value) => {
      const [, line = '', ...rest] = zoneFile('example.com', [{ ...record, value }]).split('\n')
      assert.deepEqual(rest, [''])
      const strings = line.match(/"(\\\d{3}|\\["\\]|[^"\\])*"/g) ?? []
      assert.equal(line, `_mailroom-challenge.example.com. 3600 IN TXT ${strings.join(' ')}`)
      const octets = strings.map((string) => Buffer.from(unescaped(string), 'latin1'))
      assert.ok(octets.every(({ length }) => length <= 255))
      assert.deepEqual(Buffer.concat(octets), Buffer.from(value))
    }),
    { numRuns: 300 },
  )
})

/** RFC 1035, section 5.1. */
function unescaped(string: string): string {
  return string.slice(1, -1).replace(/\\(\d{3}|.)/g, (_, octet: string) => {
    return octet.length === 3 ? String.fromCharCode(Number(octet)) : octet
  })
}
