import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insideOf, isPublic } from '#/base/network/ip-address.ts'
import { pauseAfter, roundPauseAfter, triedForMs } from './retries.ts'
import { receiverUrl } from './webhook.ts'

const publicAlone = { 'https:': isPublic }
const inside = insideOf([{ address: '10.0.0.0', bits: 8 }])
const ours = { 'https:': (address: string) => isPublic(address) || inside(address), 'http:': inside }

for (const [given, allowed, expected] of [
  ['https://receiver.example', publicAlone, 'https://receiver.example/'],
  ['https://Receiver.Example:8443/a?b=c', publicAlone, 'https://receiver.example:8443/a?b=c'],
  ['https://bücher.example/', publicAlone, 'https://xn--bcher-kva.example/'],
  ['https://8.8.8.8/', publicAlone, 'https://8.8.8.8/'],
  ['https://10.1.2.3/', ours, 'https://10.1.2.3/'],
  ['http://10.1.2.3:8080/', ours, 'http://10.1.2.3:8080/'],
  // Its address is looked at when a connection is made.
  ['http://receiver.internal/', ours, 'http://receiver.internal/'],
] as const)
  test(`${given} is a receiver`, () => assert.equal(receiverUrl(given, allowed), expected))

for (const [given, allowed] of [
  ['http://receiver.example/', publicAlone],
  ['http://8.8.8.8/', ours],
  ...['receiver.example', '//receiver.example', 'https://', 'ftp://receiver.example', 'file:///etc/passwd'].map(
    (text) => [text, ours] as const,
  ),
  ...['https://user@receiver.example', 'https://user:secret@receiver.example', 'https://receiver.example/#x'].map(
    (text) => [text, publicAlone] as const,
  ),
  ...['https://receiver.example:25/', 'https://receiver.example:22/', 'https://receiver.example:99999/'].map(
    (text) => [text, publicAlone] as const,
  ),
  ...['127.0.0.1', '127.1', '0x7f000001', '2130706433', '10.0.0.1', '169.254.169.254', '0.0.0.0', '[::1]'].map(
    (host) => [`https://${host}/`, publicAlone] as const,
  ),
  ...['[::ffff:127.0.0.1]', '[64:ff9b::a00:1]', '[fd00::1]', '[fe80::1]', '192.168.0.1', '100.64.0.1'].map(
    (host) => [`https://${host}/`, ours] as const,
  ),
] as const)
  test(`${given} is none`, () =>
    assert.throws(() => receiverUrl(given, allowed), { code: 'invalid_request', field: 'url' }))

test('pauses grow, and there are some attempts in the three days', () => {
  let [passed, attempts] = [0, 1]
  for (; passed < triedForMs; attempts++) {
    assert.ok(pauseAfter(attempts + 1) >= pauseAfter(attempts))
    assert.ok(roundPauseAfter(attempts) <= 600_000)
    passed += pauseAfter(attempts)
  }
  assert.ok(attempts > 10 && attempts < 30, `${attempts}`)
})

for (const url of ['http://127.0.0.1:8080/', 'http://receiver.example/', 'https://127.0.0.1:8080/', 'https://[::1]/'])
  test(`the refusal of ${url} names the setting that allows it`, () =>
    assert.throws(() => receiverUrl(url, { 'https:': (address) => address === '192.0.2.1' }), {
      fix: /MAILROOM_WEBHOOK_NETWORKS/,
    }))
