import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '#/errors.ts'
import { type Change, changed, destination, type Forwarding } from './forwarding.ts'

/** Of a mailbox that was never configured. */
const neverConfigured: Forwarding = {
  forwardEnabled: false,
  forwardTo: null,
  forwardSince: null,
  forwardUntil: null,
  pausedAt: null,
  pausedBecause: null,
  replyEnabled: false,
  replySubject: '',
  replyBody: '',
  replySince: null,
  replyUntil: null,
}

const now = new Date('2026-11-21T08:00:00Z')
const before = new Date('2026-11-01T08:00:00Z')
const later = new Date('2026-12-01T08:00:00Z')
const smart = { address: 'ada@here.example', private: false, addresses: ['ada@here.example', 'a.byron@here.example'] }
const forwards = { ...neverConfigured, forwardEnabled: true, forwardTo: 'x@far.example', forwardSince: before }
const replies = { ...neverConfigured, replyEnabled: true, replyBody: 'Away', replySince: before }

for (const [what, settings, change, expected] of [
  ['a destination alone switches none on', neverConfigured, { forwardTo: 'x@far.example' }, { forwardEnabled: false }],
  [
    'a destination and the switch may come together',
    neverConfigured,
    { forwardTo: 'x@far.example', forwardEnabled: true },
    { forwardEnabled: true, forwardSince: now },
  ],
  ['switching on what is on stamps it anew', forwards, { forwardEnabled: true }, { forwardSince: now }],
  [
    'switching off keeps the stamp',
    forwards,
    { forwardEnabled: false },
    { forwardEnabled: false, forwardSince: before, forwardTo: 'x@far.example' },
  ],
  [
    'another destination keeps the stamp',
    forwards,
    { forwardTo: 'y@far.example' },
    { forwardSince: before, forwardEnabled: true },
  ],
  ['clearing the address switches it off', forwards, { forwardTo: null }, { forwardEnabled: false, forwardTo: null }],
  [
    'switching on ends a pause',
    { ...forwards, pausedAt: before, pausedBecause: 'No' },
    { forwardEnabled: true },
    { pausedAt: null, pausedBecause: null },
  ],
  ['another end leaves all else', forwards, { forwardUntil: later }, { forwardUntil: later, forwardSince: before }],
  ['a text alone answers nobody', neverConfigured, { replyBody: 'Away' }, { replyEnabled: false, replyBody: 'Away' }],
  ['a text may come with the switch', neverConfigured, { replyBody: 'Away', replyEnabled: true }, { replySince: now }],
  ['switching on answers that are on stamps them anew', replies, { replyEnabled: true }, { replySince: now }],
  ['emptying the text switches the answers off', replies, { replyBody: '' }, { replyEnabled: false, replyBody: '' }],
  ['another text keeps them on', replies, { replyBody: 'Gone' }, { replyEnabled: true, replySince: before }],
] as const satisfies readonly (readonly [string, Forwarding, Change, Partial<Forwarding>])[])
  test(what, () => {
    const after = changed(settings, change, smart, now)
    assert.deepEqual({ ...after, ...expected }, after)
  })

for (const [what, settings, change, field] of [
  ['forwarding without a destination', neverConfigured, { forwardEnabled: true }, 'forward_to'],
  ['forwarding whose address the same call clears', forwards, { forwardTo: null, forwardEnabled: true }, 'forward_to'],
  ['forwarding to itself', neverConfigured, { forwardTo: 'ada@here.example' }, 'forward_to'],
  ['forwarding to an alias', neverConfigured, { forwardTo: 'a.byron@here.example' }, 'forward_to'],
  ['forwarding to itself with a tag', neverConfigured, { forwardTo: 'ada+x@here.example' }, 'forward_to'],
  [
    'forwarding that has ended',
    neverConfigured,
    { forwardTo: 'x@far.example', forwardEnabled: true, forwardUntil: before },
    'forward_until',
  ],
  ['answers without a text', neverConfigured, { replyEnabled: true }, 'reply_body'],
  ['answers whose text is blank', neverConfigured, { replyEnabled: true, replyBody: ' \n' }, 'reply_body'],
  ['answers whose text the same call empties', replies, { replyEnabled: true, replyBody: '' }, 'reply_body'],
] as const satisfies readonly (readonly [string, Forwarding, Change, string])[])
  test(`refused: ${what}`, () => assert.throws(() => changed(settings, change, smart, now), refusal(field)))

test('a Private mailbox answers, but does not forward', () => {
  const secret = { ...smart, private: true }
  assert.equal(changed(neverConfigured, { replyBody: 'Away', replyEnabled: true }, secret, now).replyEnabled, true)
  const change = { forwardTo: 'x@far.example', forwardEnabled: true }
  assert.throws(() => changed(neverConfigured, change, secret, now), refusal('forward_to'))
})

for (const text of ['x', 'x@', '@far.example', 'Ann <ann@far.example>', 'a@b', 'a@[192.0.2.1]', 'a b@far.example'])
  test(`no mail can be forwarded to ${text}`, () => assert.throws(() => destination(text), refusal('forward_to')))

test('a destination is kept in the form in which addresses are compared', () =>
  assert.equal(destination(' Ann@BÜCHER.example '), 'ann@xn--bcher-kva.example'))

function refusal(field: string) {
  return (error: unknown) => error instanceof Refusal && error.code === 'invalid_request' && error.field === field
}
