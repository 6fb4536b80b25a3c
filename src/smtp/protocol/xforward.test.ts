import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Rejection } from './reply.ts'
import { parseForward } from './xforward.ts'

const known = { address: '192.0.2.9', helo: 'old.example' }

for (const [argument, before, expected] of [
  ['ADDR=192.0.2.1 HELO=x.example', undefined, { address: '192.0.2.1', helo: 'x.example' }],
  ['addr=192.0.2.1  helo=x.example', undefined, { address: '192.0.2.1', helo: 'x.example' }],
  ['ADDR=IPV6:2001:db8::1', undefined, { address: '2001:db8::1', helo: '' }],
  ['HELO=x.example', known, { address: '192.0.2.9', helo: 'x.example' }],
  ['ADDR=192.0.2.1', known, { address: '192.0.2.1', helo: 'old.example' }],
  ['HELO=x+2Eexample', known, { address: '192.0.2.9', helo: 'x.example' }],
  ['HELO=[UNAVAILABLE]', known, { address: '192.0.2.9', helo: '' }],
  ['ADDR=[TEMPUNAVAIL]', known, undefined],
  ['HELO=x.example', undefined, undefined],
  [`HELO=${'x'.repeat(255)}`, known, { address: '192.0.2.9', helo: 'x'.repeat(255) }],
  [`HELO=${'x'.repeat(256)}`, known, { address: '192.0.2.9', helo: 'x'.repeat(255) }],
] as const)
  test(`XFORWARD ${argument.slice(0, 40)}${before ? ', known before,' : ''} says ${JSON.stringify(expected)?.slice(0, 60)}`, () =>
    assert.deepEqual(parseForward(argument, before), expected))

for (const argument of ['ADDR=x.example', 'ADDR=', 'PORT=25', 'HELO=a+0D+0Ab', 'HELO=a+20b', 'HELO=a\u00e9'])
  test(`XFORWARD ${argument} is refused`, () =>
    assert.throws(
      () => parseForward(argument, undefined),
      (error) => error instanceof Rejection && error.reply.code === 501 && error.reply.status === '5.5.4',
    ))
