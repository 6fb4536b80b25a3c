import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { authenticationResultsField, withoutForgedResults } from '../authentication/authentication-results.ts'
import { readHeaders } from './headers.ts'
import { deliveredToField, receivedField, returnPathField } from './trace.ts'

const reception = {
  ...{ helo: 'mail.sender.example', clientAddress: '192.0.2.1', by: 'mx.example', protocol: 'ESMTPS', id: 'abc123' },
  at: new Date('2026-01-05T09:00:00Z'),
}

test('Received says who gave the message to whom, how, and when', () => {
  assert.equal(
    receivedField({ ...reception, clientName: 'a.sender.example', tls: 'TLSv1.3 AES', recipient: 'ann@example.com' }),
    'Received: from mail.sender.example (a.sender.example [192.0.2.1])\r\n' +
      '\tby mx.example with ESMTPS id abc123 (TLSv1.3 AES)\r\n' +
      '\tfor <ann@example.com>;\r\n' +
      '\tMon, 05 Jan 2026 09:00:00 +0000\r\n',
  )
  const address = receivedField({ ...reception, helo: '[IPv6:2001:db8::1]', clientAddress: '2001:db8::1' })
  assert.ok(address.includes('from [IPv6:2001:db8::1] ([IPv6:2001:db8::1])'))
})

test('Return-Path and Delivered-To hold the address as it is', () => {
  assert.equal(returnPathField('jörg@bücher.example'), 'Return-Path: <jörg@bücher.example>\r\n')
  assert.equal(returnPathField(''), 'Return-Path: <>\r\n')
  assert.equal(deliveredToField('"a b"@example.com'), 'Delivered-To: "a b"@example.com\r\n')
})

test('Authentication-Results names each method, its result and what was checked', () => {
  const dkim = { 'header.d': 'sender.example', 'header.b': 'ab/cd+=' }
  assert.equal(
    authenticationResultsField('mx.example', [
      { method: 'spf', result: 'pass', properties: { 'smtp.mailfrom': 'ann@sender.example' } },
      { method: 'dkim', result: 'fail', reason: 'body "changed"', properties: dkim },
    ]),
    'Authentication-Results: mx.example;\r\n' +
      '\tspf=pass\r\n\t smtp.mailfrom=ann@sender.example;\r\n' +
      '\tdkim=fail\r\n\t reason="body \\"changed\\""\r\n\t header.d=sender.example\r\n\t header.b="ab/cd+="\r\n',
  )
  assert.equal(authenticationResultsField('mx.example', []), 'Authentication-Results: mx.example;\r\n\tnone\r\n')
})

test('whatever the other side says, each field stays one field of short lines', () => {
  const unit = fc.constantFrom(
    ...['a', '.', '@', '\r', '\n', '\r\n', ' ', '\t', '(', ')', '<', '>', '"', '\\', ';', '=', ':', '\0'],
    ...['\u0085', '\u2028', 'é', '\ud800', 'X: y', 'x'.repeat(300), '漢'.repeat(300)],
  )
  const evil = fc.string({ unit, maxLength: 30 })
  fc.assert(
    fc.property(fc.array(evil, { minLength: 6, maxLength: 6 }), (said) => {
      const [helo = '', client = '', name = '', sender = '', value = '', reason = ''] = said
      const from = { helo, clientAddress: client, clientName: name, recipient: sender }
      const properties = { [client]: value, 'header.d': sender }
      const fields = [
        receivedField({ ...reception, ...from, id: value, tls: reason }),
        returnPathField(sender),
        deliveredToField(sender),
        authenticationResultsField(helo, [{ method: name, result: value, reason, properties }]),
      ]
      for (const field of fields) {
        const { headers, bodyStart } = readHeaders(Buffer.from(`${field}\r\n`))
        assert.equal(headers.fields.length, 1)
        assert.equal(bodyStart, Buffer.byteLength(field) + 2)
        assert.ok(field.split('\r\n').every((line) => Buffer.byteLength(line) <= 998 && !/[\r\n\0]/.test(line)))
      }
    }),
    { numRuns: 2_000 },
  )
})

test('a value from the message cannot pass for another result', () => {
  const properties = { 'smtp.mailfrom': 'x; dmarc=pass header.from=bank.example' }
  const field = authenticationResultsField('mx.example', [{ method: 'spf', result: 'fail', properties }])
  assert.match(field, /smtp\.mailfrom="x; dmarc=pass header\.from=bank\.example"/)
})

for (const [what, forged] of [
  ['as it is', 'mx.example; dmarc=pass'],
  ['in capitals', 'MX.Example; dmarc=pass'],
  ['with a version', 'mx.example 1; dmarc=pass'],
  ['in quotes', '"mx.example"; dmarc=pass'],
  ['in escapes', '"m\\x.example"; dmarc=pass'],
  ['behind comments', '(a (b) \\)) mx.example; dmarc=pass'],
  ['on its second line', '\r\n mx.example;\r\n dmarc=pass'],
  ['before a comment', 'mx.example(x); dmarc=pass'],
  ['alone', 'mx.example'],
  ['with a final dot', 'mx.example.; dmarc=pass'],
  ['with a version behind a slash', 'mx.example/1; dmarc=pass'],
  ['behind a comment of 20,000 octets', `(${'x'.repeat(20_000)}) mx.example; dmarc=pass`],
  ['behind a comment that is not closed', '(x mx.example; dmarc=pass'],
  ['behind quotes that are not closed', '"x mx.example; dmarc=pass'],
  ['around a comment', 'mx(x).example; dmarc=pass'],
  ['partly in quotes', 'mx."example"; dmarc=pass'],
] as const)
  test(`a result that claims to be ours is removed where our name is ${what}`, async () => {
    const [body, more] = [
      'Authentication-Results: mx.example; x\r\n',
      'results : mx.example;\r\n\tspf=pass\r\nB: 2\r\n',
    ]
    const raw = Buffer.from(`A: 1\r\nAuthentication-Results: ${forged}\r\nauthentication-${more}\r\n${body}`)
    const kept = await withoutForgedResults(raw, readHeaders(raw).headers, 'mx.example')
    assert.equal(Buffer.concat(kept).toString(), `A: 1\r\nB: 2\r\n\r\n${body}`)
  })

for (const [what, field] of [
  ['of another server', 'Authentication-Results: mx.example.net; dmarc=pass'],
  ['that only mentions us', 'Authentication-Results: other.example; dmarc=pass (mx.example)'],
  ['that names nobody', 'Authentication-Results: ; dmarc=pass'],
  ['whose comment is not closed, of another', 'Authentication-Results: (x mx.other.example; dmarc=pass'],
  ['of an ARC set', 'ARC-Authentication-Results: i=1; mx.example; dmarc=pass'],
] as const)
  test(`a result stays ${what}`, async () => {
    const raw = Buffer.from(`${field}\r\n\r\nbody`)
    assert.deepEqual(await withoutForgedResults(raw, readHeaders(raw).headers, 'mx.example'), [raw])
  })
