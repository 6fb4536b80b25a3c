import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Change, changed, destination, type Forwarding } from './forwarding.ts'

/** Of a mailbox that was never configured. */
const unset: Forwarding = {
  ...{ forwardEnabled: false, forwardTo: null, forwardSince: null, forwardUntil: null, pausedAt: null },
  ...{ pausedBecause: null, replyEnabled: false, replySubject: '', replyBody: '', replySince: null, replyUntil: null },
}

const now = new Date('2026-11-21T08:00:00Z')
const before = new Date('2026-11-01T08:00:00Z')
const later = new Date('2026-12-01T08:00:00Z')
const smart = { address: 'ada@here.example', private: false, addresses: ['ada@here.example', 'a.byron@here.example'] }
const x = 'x@far.example'
const [on, off] = [{ forwardEnabled: true }, { forwardEnabled: false }]
const forwards = { ...unset, ...on, forwardTo: x, forwardSince: before }
const paused = { ...forwards, pausedAt: before, pausedBecause: 'No' }
const replies = { ...unset, replyEnabled: true, replyBody: 'Away', replySince: before }

for (const [what, settings, change, expected] of [
  ['a destination alone switches none on', unset, { forwardTo: x }, off],
  ['a destination may come with the switch', unset, { forwardTo: x, ...on }, { ...on, forwardSince: now }],
  ['switching on what is on stamps it anew', forwards, on, { forwardSince: now }],
  ['switching off keeps the stamp', forwards, off, { ...off, forwardSince: before, forwardTo: x }],
  ['another destination keeps the stamp', forwards, { forwardTo: 'y@far.example' }, { forwardSince: before, ...on }],
  ['clearing the address switches it off', forwards, { forwardTo: null }, { ...off, forwardTo: null }],
  ['switching on ends a pause', paused, on, { pausedAt: null, pausedBecause: null }],
  ['another end leaves all else', forwards, { forwardUntil: later }, { forwardUntil: later, forwardSince: before }],
  ['a text alone answers nobody', unset, { replyBody: 'Away' }, { replyEnabled: false, replyBody: 'Away' }],
  ['a text may come with the switch', unset, { replyBody: 'Away', replyEnabled: true }, { replySince: now }],
  ['switching on answers that are on stamps them anew', replies, { replyEnabled: true }, { replySince: now }],
  ['emptying the text switches the answers off', replies, { replyBody: '' }, { replyEnabled: false, replyBody: '' }],
  ['another text keeps them on', replies, { replyBody: 'Gone' }, { replyEnabled: true, replySince: before }],
] as const satisfies readonly (readonly [string, Forwarding, Change, Partial<Forwarding>])[])
  test(what, () => {
    const after = changed(settings, change, smart, now)
    assert.deepEqual({ ...after, ...expected }, after)
  })

for (const [what, settings, change, field] of [
  ['forwarding without a destination', unset, on, 'forward_to'],
  ['forwarding whose address the same call clears', forwards, { forwardTo: null, ...on }, 'forward_to'],
  ['forwarding to itself', unset, { forwardTo: 'ada@here.example' }, 'forward_to'],
  ['forwarding to an alias', unset, { forwardTo: 'a.byron@here.example' }, 'forward_to'],
  ['forwarding to itself with a tag', unset, { forwardTo: 'ada+x@here.example' }, 'forward_to'],
  ['forwarding that has ended', unset, { forwardTo: x, ...on, forwardUntil: before }, 'forward_until'],
  ['answers without a text', unset, { replyEnabled: true }, 'reply_body'],
  ['answers whose text is blank', unset, { replyEnabled: true, replyBody: ' \n' }, 'reply_body'],
  ['answers whose text the same call empties', replies, { replyEnabled: true, replyBody: '' }, 'reply_body'],
] as const satisfies readonly (readonly [string, Forwarding, Change, string])[])
  test(`refused: ${what}`, () => assert.throws(() => changed(settings, change, smart, now), refusal(field)))

test('a Private mailbox answers, but does not forward', () => {
  const secret = { ...smart, private: true }
  assert.equal(changed(unset, { replyBody: 'Away', replyEnabled: true }, secret, now).replyEnabled, true)
  assert.throws(() => changed(unset, { forwardTo: x, ...on }, secret, now), refusal('forward_to'))
})

for (const text of ['x', 'x@', '@far.example', 'Ann <ann@far.example>', 'a@b', 'a@[192.0.2.1]', 'a b@far.example'])
  test(`no mail can be forwarded to ${text}`, () => assert.throws(() => destination(text), refusal('forward_to')))

test('a destination is kept in the form in which addresses are compared', () =>
  assert.equal(destination(' Ann@BÜCHER.example '), 'ann@xn--bcher-kva.example'))

function refusal(field: string): object {
  return { code: 'invalid_request', field }
}
