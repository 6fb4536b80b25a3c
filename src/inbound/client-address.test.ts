import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientNetwork, unmappedAddress } from './client-address.ts'

for (const [address, other, expected] of [
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2:ffff::1', true],
  ['2001:db8:1:2::1', '2001:db8:1:2:3:4:5:6', true],
  ['2001:db8::1', '2001:db8:0:0:5::', true],
  ['::1', '::2', true],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
  ['2001:db8::1', '2001:db8:1::1', false],
  ['192.0.2.1', '192.0.2.1', true],
  ['192.0.2.1', '192.0.2.2', false],
] as const) {
  test(`a limit holds for ${address} and ${other} ${expected ? 'together' : 'apart'}`, () =>
    assert.equal(clientNetwork(address) === clientNetwork(other), expected))
}

for (const [given, expected] of [
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:192.0.2.1', '192.0.2.1'],
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:1', '::ffff:1'],
  ['2001:db8::ffff:192.0.2.1', '2001:db8::ffff:192.0.2.1'],
] as const) {
  test(`${given} is the address ${expected}`, () => assert.equal(unmappedAddress(given), expected))
}
