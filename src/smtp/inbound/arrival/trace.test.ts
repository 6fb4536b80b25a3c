import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Verdict } from '#/formats/mime/authentication/verdict.ts'
import type { Envelope } from '#/smtp/protocol/envelope.ts'
import { resultsField } from './trace.ts'

const origin = { address: '192.0.2.1', helo: 'peer.example' }
const verdict: Verdict = {
  spf: { result: 'pass', domain: 'a.example', identity: 'mailfrom' },
  dkim: [],
  dmarc: { result: 'pass', domain: 'a.example', policy: 'reject', dkimAligned: false },
  disposition: 'none',
}
const signature = { result: 'fail', domain: 'a.example', selector: 's1', signature: 'abc', comment: 'body changed' }
const helo = { result: 'none', domain: 'peer.example', identity: 'helo' } as const

for (const [what, change, expected] of [
  ['no signature', {}, ['spf=pass smtp.mailfrom=ann@a.example', 'dkim=none', 'dmarc=pass header.from=a.example']],
  ['one that does not hold', { dkim: [signature] }, ['dkim=fail', 'body changed', 'header.d=a.example', 'header.s=s1']],
  ['the null sender', { spf: helo }, ['spf=none smtp.helo=peer.example', 'dkim=none']],
] as const)
  test(`the results of a message with ${what} say ${expected.join(', ')}`, () => {
    const envelope = { origin, sender: 'ann@a.example' } as Envelope
    const field = resultsField('mx.here.example', envelope, { ...verdict, ...change } as Verdict)
    for (const part of expected) assert.ok(field.replace(/\s+/g, ' ').includes(part), `${part} in ${field}`)
    if ('dkim' in change) assert.ok(!field.includes('dkim=none'))
  })
