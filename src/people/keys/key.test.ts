import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scopes } from '#/http/access/scopes.ts'
import { expiryAfter, type Key, keyName, keyStatus, scopesIn } from './key.ts'
import { unrestricted } from './restrictions.ts'

const now = Date.UTC(2026, 10, 21, 7, 44)

for (const [text, expected] of [
  ['90d', '2027-02-19T07:44:00.000Z'],
  ['12h', '2026-11-21T19:44:00.000Z'],
  ['30m', '2026-11-21T08:14:00.000Z'],
  [' 1d ', '2026-11-22T07:44:00.000Z'],
  ['3650d', '2036-11-18T07:44:00.000Z'],
] as const)
  test(`a key for "${text}" expires at ${expected}`, () => assert.equal(expiryAfter(text, now).toISOString(), expected))

for (const text of ['', '90', 'd', '0d', '-1d', '1.5h', '1e3d', '90 d', '90D', '1y', '2027-01-01', '1234567890d'])
  test(`"${text}" is no lifetime`, () =>
    assert.throws(() => expiryAfter(text, now), { field: 'expires', message: /30m, 12h or 90d/ }))

for (const text of ['3651d', '87601h', '999999999m'])
  test(`"${text}" is longer than ten years`, () =>
    assert.throws(() => expiryAfter(text, now), { field: 'expires', message: /at most 3650d/ }))

for (const [text, expected] of [
  ['all', scopes],
  ['labels:read', ['labels:read']],
  ['usage:read, labels:write,labels:read,usage:read', ['labels:read', 'labels:write', 'usage:read']],
] as const)
  test(`the scopes "${text}" are ${expected.length}`, () => assert.deepEqual(scopesIn(text), expected))

for (const text of ['', 'labels', 'labels:read,', 'all,labels:read', 'Labels:Read', 'labels:*'])
  test(`"${text}" are no scopes, and those there are get named`, () =>
    assert.throws(() => scopesIn(text), { field: 'scopes', message: /there are: all, labels:read, .*webhooks:write$/ }))

for (const [what, fields, expected] of [
  ['live without an end', {}, 'live'],
  ['live before it expires', { expires_at: new Date(now + 1) }, 'live'],
  ['expired from its very moment on', { expires_at: new Date(now) }, 'expired'],
  ['revoked, whenever it would expire', { expires_at: new Date(now), revoked_at: new Date(now) }, 'revoked'],
] as const)
  test(`a key is ${what}`, () => {
    const key: Key = {
      ...{ id: '', name: '', prefix: '', last_four: '', scopes: [], created_at: new Date(0) },
      ...{ expires_at: null, last_used_at: null, revoked_at: null },
      ...unrestricted,
      ...fields,
    }
    assert.equal(keyStatus(key, now), expected)
  })

test('a key need not have a name; one that is there must be fit to read', () => {
  assert.equal(keyName('  '), '')
  assert.equal(keyName(' CI '), 'CI')
  assert.throws(() => keyName('x'.repeat(65)), { field: 'name' })
  assert.throws(() => keyName('a\u202eb'), { field: 'name' })
})
