import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientNetwork, insideOf, isPublic, readAddress, unmappedAddress } from './ip-address.ts'

for (const [address, other, expected] of [
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2:ffff::1', true],
  ['2001:db8:1:2::1', '2001:db8:1:2:3:4:5:6', true],
  ['2001:db8::1', '2001:db8:0:0:5::', true],
  ['::1', '::2', true],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
  ['2001:db8::1', '2001:db8:1::1', false],
  ['192.0.2.1', '192.0.2.1', true],
  ['192.0.2.1', '192.0.2.2', false],
] as const)
  test(`a limit holds for ${address} and ${other} ${expected ? 'together' : 'apart'}`, () =>
    assert.equal(clientNetwork(address) === clientNetwork(other), expected))

for (const [given, expected] of [
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:192.0.2.1', '192.0.2.1'],
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:1', '::ffff:1'],
  ['2001:db8::ffff:192.0.2.1', '2001:db8::ffff:192.0.2.1'],
] as const)
  test(`${given} is the address ${expected}`, () => assert.equal(unmappedAddress(given), expected))

for (const address of ['8.8.8.8', '172.32.0.1', '223.255.255.255', '2606:4700:4700::1111', '64:ff9b::8.8.8.8'])
  test(`${address} is public`, () => assert.equal(isPublic(address), true))

for (const [what, address] of [
  ['loopback', '127.0.0.1'],
  ['loopback', '::1'],
  ['this host', '0.0.0.0'],
  ['this host', '::'],
  ['private', '10.0.0.1'],
  ['private', '172.31.255.255'],
  ['private', 'fd00::1'],
  ['shared', '100.64.0.1'],
  ['link-local', '169.254.169.254'],
  ['link-local', 'fe80::1'],
  ['link-local', 'fe80::1%eth0'],
  ['site-local', 'fec0::1'],
  ['not assigned', '4000::1'],
  ['multicast', '224.0.0.1'],
  ['multicast', 'ff02::1'],
  ['broadcast', '255.255.255.255'],
  ['documentation', '192.0.2.1'],
  ['documentation', '2001:db8::1'],
  ['IPv4-mapped', '::ffff:8.8.8.8'],
  ['IPv4-compatible', '::127.0.0.1'],
  ['6to4 of a private one', '2002:0a00:0001::1'],
  ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  ['NAT64 of a private one', '64:ff9b::10.0.0.1'],
  ['no address', '127.1'],
  ['no address', ''],
] as const)
  test(`${JSON.stringify(address)}, ${what}, is not`, () => assert.equal(isPublic(address), false))

for (const [text, address] of [
  ['192.0.2.1', '192.0.2.1'],
  ['2001:0DB8:0:0::1', '2001:db8::1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::ffff:c000:201', '192.0.2.1'],
  ...['', 'unknown', '192.0.2', '192.0.2.01', '0x7f.1', '3221225985', 'fe80::1%eth0', ' 192.0.2.1'].map(
    (text) => [text, undefined] as const,
  ),
] as const)
  test(`${JSON.stringify(text)} is read as ${address ?? 'no address'}`, () => assert.equal(readAddress(text), address))

test('text that is no address is in no network', () => {
  const isInside = insideOf(['0.0.0.0', '::'].map((address) => ({ address, bits: 0 })))
  for (const text of ['', 'unknown', '192.0.2']) assert.equal(isInside(text), false, text)
  for (const text of ['192.0.2.1', 'fe80::1', 'fe80::1%eth0']) assert.equal(isInside(text), true, text)
})
