import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mayHaveArrived } from './ambiguous.ts'

const early = { recipient: 'a@x', at: new Date('2026-11-21T08:00:00Z') }
const late = { recipient: 'b@x', at: new Date('2026-11-21T09:00:00Z') }

for (const [what, deliveries, expected] of [
  ['of one is told', [early], /sent to a@x, and no reply had come by 2026-11-21T08:00:00\.000Z/],
  ['of several the first tells', [late, early], /sent to a@x \(and 1 more\), and no reply had come by 2026-11-21T08:/],
  ['of several is told so, whatever their order', [early, late], /sent to a@x \(and 1 more\),/],
] as const)
  test(`a doubt ${what}`, () => assert.match(mayHaveArrived(deliveries) ?? '', expected))

test('without an ambiguous delivery there is nothing to say', () => assert.equal(mayHaveArrived([]), undefined))
