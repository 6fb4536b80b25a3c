import assert from 'node:assert/strict'
import { test } from 'node:test'
import { baseSubject } from './base-subject.ts'

for (const [subject, text, isReply] of [
  ['Supper', 'Supper', false],
  ['Re: Supper', 'Supper', true],
  ['RE : re:  Supper', 'Supper', true],
  ['Fw: FWD: Supper', 'Supper', true],
  ['Re[2]: Supper', 'Supper', true],
  ['re [again] : Supper', 'Supper', true],
  ['[cooks] Re: Supper', 'Supper', true],
  ['Re: [cooks] Supper', 'Supper', true],
  ['[cooks] Supper', 'Supper', false],
  ['[cooks] [all] Supper', 'Supper', false],
  ['[cooks]', '[cooks]', false],
  ['[cooks] [all]', '[all]', false],
  ['Re: [cooks]', '[cooks]', true],
  ['Supper (fwd)', 'Supper', true],
  ['Supper (fwd) (FWD)', 'Supper', true],
  ['[Fwd: Re: Supper]', 'Supper', true],
  ['[fwd: Supper', '[fwd: Supper', false],
  ['Re: Re', 'Re', true],
  ['Reply: Supper', 'Reply: Supper', false],
  ['Supper  at\t eight', 'Supper at eight', false],
  ['Re:', '', true],
  ['', '', false],
] as const) {
  test(`the base of "${subject}" is "${text}"`, () => assert.deepEqual(baseSubject(subject), { text, isReply }))
}
