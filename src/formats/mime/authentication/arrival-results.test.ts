import assert from 'node:assert/strict'
import { test } from 'node:test'
import { each } from '#test/world/each.ts'
import { arrivalResults } from './arrival-results.ts'
import { authenticationResultsField, type CheckResult } from './authentication-results.ts'

const spf = (result: string, sender = 'bounce@books.example'): CheckResult => {
  return { method: 'spf', result, properties: { 'smtp.mailfrom': sender } }
}
const dkim = (result: string, domain = 'books.example'): CheckResult => {
  const properties = { 'header.d': domain, 'header.b': 'ab/c+d==' }
  return { method: 'dkim', result, reason: 'a; dmarc=pass "b\\', properties }
}
const dmarc = (result: string, author = 'books.example'): CheckResult => {
  return { method: 'dmarc', result, properties: { 'header.from': author, 'policy.dmarc': 'none' } }
}

function arrived(...results: CheckResult[]): string {
  return `Return-Path: <a@b.example>\r\n${authenticationResultsField('MX.mailroom.test', results)}Received: from b.example\r\n`
}

function read(header: string) {
  return arrivalResults(Buffer.from(`${header}Subject: x\r\n\r\nHello\r\n`))
}

for (const [what, results, signer, aligned] of [
  ['DMARC passed', [spf('pass'), dkim('pass', 'mail.books.example'), dmarc('pass')], 'books.example', true],
  ['others vouch', [spf('pass', 'x@peer.example'), dkim('none', ''), dmarc('fail')], 'peer.example', false],
  ['another signed it', [spf('fail'), dkim('pass', 'List.Example'), dmarc('fail')], 'list.example', false],
  ['there is no policy', [spf('none'), dkim('pass'), dmarc('none')], 'books.example', true],
  ['the author is ambiguous', [spf('pass'), dkim('pass'), dmarc('permerror')], 'books.example', false],
  ['nothing is proven', [spf('softfail'), dkim('fail'), dmarc('fail')], null, false],
] as const)
  test(`results of an arrival: ${what}`, () => {
    const { by, ...found } = read(arrived(...results)) ?? { by: '' }
    assert.equal(by, 'mx.mailroom.test')
    assert.deepEqual(Object.values(found), [...each(results, 'result'), signer, aligned])
  })

test('of several signatures the valid one counts', () => {
  const { dkim: found, ...more } =
    read(arrived(spf('none'), dkim('fail'), dkim('pass', 'b.example'), dmarc('fail'))) ?? {}
  assert.deepEqual([found, Object.values(more).includes('b.example')], ['pass', true])
})

const genuine = arrived(spf('none'), dkim('none'), dmarc('none'))
const passed = arrived(spf('pass'), dkim('pass'), dmarc('pass'))
test('what a sender wrote stands behind the fields of the arrival, and does not count', () =>
  assert.deepEqual(read(genuine + passed), read(genuine)))

for (const [what, header] of [
  ['begins with another field', `X-A: b\r\n${passed}`],
  ['begins with a Received', `Received: from x\r\n${passed}`],
  ['has no Return-Path', passed.replace(/^Return-Path.*\r\n/, '')],
  ['has no Received', passed.replace(/Received.*\r\n/, '')],
  ['has results of no DMARC', arrived(spf('pass'), dkim('pass'))],
  ['was handed over between mailboxes here', arrived(spf('none'), dkim('none'), { method: 'dmarc', result: 'none' })],
  ['has no results', arrived()],
  ['is empty', ''],
] as const)
  test(`a message has no results where it ${what}`, () => assert.equal(read(header), null))

test('a field of a million quotes takes no time, nor does one without an end', () => {
  for (const value of ['"'.repeat(1e6), '"\\'.repeat(1e6), ';='.repeat(1e6), 'dkim=pass;'.repeat(1e5)])
    assert.equal(read(`Return-Path: <>\r\nAuthentication-Results: mx; ${value}\r\nReceived: x\r\n`), null)
})
