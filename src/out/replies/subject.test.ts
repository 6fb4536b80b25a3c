import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { answerSubject } from './subject.ts'

for (const [subject, reply, forward] of [
  ['Hello', 'Re: Hello', 'Fwd: Hello'],
  ['Re: Hello', 'Re: Hello', 'Fwd: Re: Hello'],
  ['RE: re : Re:Hello', 'Re: Hello', 'Fwd: RE: re : Re:Hello'],
  ['Re[2]: Hello', 'Re: Hello', 'Fwd: Re[2]: Hello'],
  ['Re (3): Hello', 'Re: Hello', 'Fwd: Re (3): Hello'],
  ['AW: SV: Odp: Hello', 'Re: Hello', 'Fwd: AW: SV: Odp: Hello'],
  ['Antwort: Hello', 'Re: Hello', 'Fwd: Antwort: Hello'],
  ['回复：你好', 'Re: 你好', 'Fwd: 回复：你好'],
  ['WG: Fwd: Hello', 'Re: WG: Fwd: Hello', 'Fwd: Hello'],
  ['Regarding: Hello', 'Re: Regarding: Hello', 'Fwd: Regarding: Hello'],
  ['Re-opening: Hello', 'Re: Re-opening: Hello', 'Fwd: Re-opening: Hello'],
  ['[list] Re: Hello', 'Re: [list] Re: Hello', 'Fwd: [list] Re: Hello'],
  ['  ', 'Re:', 'Fwd:'],
  ['', 'Re:', 'Fwd:'],
] as const)
  test(`the subjects of answers to ${JSON.stringify(subject)}`, () => {
    assert.deepEqual([answerSubject(subject, 'reply'), answerSubject(subject, 'reply_all')], [reply, reply])
    assert.equal(answerSubject(subject, 'forward'), forward)
  })

test('the answer to an answer has the same subject', () =>
  fc.assert(
    fc.property(fc.string(), fc.constantFrom('reply', 'forward'), (subject, mode) => {
      const answer = answerSubject(subject, mode)
      assert.equal(answerSubject(answer, mode), answer)
    }),
  ))

test('a subject has at most 998 characters', () =>
  assert.equal([...answerSubject('😀'.repeat(998), 'reply')].length, 998))
