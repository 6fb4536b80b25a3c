import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPublic } from './public-address.ts'

for (const address of ['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '223.255.255.255', '192.167.255.255'])
  test(`${address} is public`, () => assert.equal(isPublic(address), true))

for (const address of ['2606:4700:4700::1111', '2a00:1450:4001:81b::200e', '64:ff9b::8.8.8.8', '64:ff9b::808:808'])
  test(`${address} is public`, () => assert.equal(isPublic(address), true))

for (const [what, address] of [
  ['loopback', '127.0.0.1'],
  ['loopback', '127.255.255.254'],
  ['loopback', '::1'],
  ['this host', '0.0.0.0'],
  ['this host', '::'],
  ['private', '10.0.0.1'],
  ['private', '172.16.0.1'],
  ['private', '172.31.255.255'],
  ['private', '192.168.1.1'],
  ['private', 'fd00::1'],
  ['shared', '100.64.0.1'],
  ['link-local', '169.254.169.254'],
  ['link-local', 'fe80::1'],
  ['link-local', 'fe80::1%eth0'],
  ['site-local', 'fec0::1'],
  ['multicast', '224.0.0.1'],
  ['multicast', 'ff02::1'],
  ['broadcast', '255.255.255.255'],
  ['documentation', '192.0.2.1'],
  ['documentation', '2001:db8::1'],
  ['IPv4-mapped', '::ffff:127.0.0.1'],
  ['IPv4-mapped', '::ffff:8.8.8.8'],
  ['IPv4-compatible', '::127.0.0.1'],
  ['6to4 of a private one', '2002:0a00:0001::1'],
  ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  ['NAT64 of a private one', '64:ff9b::10.0.0.1'],
  ['NAT64 of loopback', '64:ff9b::7f00:1'],
  ['no address', 'localhost'],
  ['no address', '127.1'],
  ['no address', ''],
] as const)
  test(`${JSON.stringify(address)}, ${what}, is not`, () => assert.equal(isPublic(address), false))
