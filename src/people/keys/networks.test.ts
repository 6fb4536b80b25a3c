import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { canonicalNetwork, insideNetworks } from './networks.ts'

for (const [given, expected] of [
  ['192.0.2.7', '192.0.2.7/32'],
  ['192.0.2.0/24', '192.0.2.0/24'],
  ['0.0.0.0/0', '0.0.0.0/0'],
  ['2001:DB8:0:0::/32', '2001:db8::/32'],
  ['2001:db8::1', '2001:db8::1/128'],
  ['::/0', '::/0'],
  ['::ffff:192.0.2.0/120', '192.0.2.0/24'],
  ['::ffff:c000:207', '192.0.2.7/32'],
  ['1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8/128'],
] as const)
  test(`the network "${given}" is ${expected}`, () => assert.equal(canonicalNetwork(given), expected))

for (const given of [
  ...['', '*', 'here', '192.0.2', '192.0.2.0/33', '192.0.2.0/', '192.0.2.0/-1', '192.0.2.0/24/24', '192.0.2.0/2x'],
  ...['010.0.0.1', '2001:db8::/129', '2001:db8:::/32', 'fe80::1%eth0', '[2001:db8::]/32', '192.0.2.0/255.255.255.0'],
])
  test(`"${given}" is no network`, () =>
    assert.throws(() => canonicalNetwork(given), { field: 'networks', message: /is no network: give/ }))

for (const given of ['192.0.2.7/24', '2001:db8::1/32', '::1.2.3.4/120', '::ffff:192.0.2.7/120'])
  test(`"${given}" could be the network or the address`, () =>
    assert.throws(() => canonicalNetwork(given), { field: 'networks', message: /could be the network or the address/ }))

const bits = (size: number) => fc.bigInt({ min: 0n, max: (1n << BigInt(size)) - 1n })
const v4 = bits(32)
/** Any address as IPv6 has it; about half of them are IPv4-mapped. */
const address = fc.oneof(
  v4.map((number) => mapped(number)),
  bits(128),
)

function mapped(number: bigint): bigint {
  return (0xffffn << 32n) | number
}

function asV4(number: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (number >> shift) & 255n).join('.')
}

function asV6(number: bigint): string {
  return Array.from({ length: 8 }, (_, at) => ((number >> BigInt(112 - 16 * at)) & 0xffffn).toString(16)).join(':')
}

/** Every way in which a client's address may be written. */
function writings(number: bigint): string[] {
  const isMapped = number >> 32n === 0xffffn
  return [
    asV6(number),
    `${asV6(number)}%eth0`,
    ...(isMapped ? [asV4(number & 0xffff_ffffn), `::ffff:${asV4(number & 0xffff_ffffn)}`] : []),
  ]
}

/** A network of so many bits around an address; an IPv4 one in either form. */
function writtenNetworks(number: bigint, prefix: number): string[] {
  const size = BigInt(128 - prefix)
  const first = (number >> size) << size
  const isMapped = prefix >= 96 && first >> 32n === 0xffffn
  return [`${asV6(first)}/${prefix}`, ...(isMapped ? [`${asV4(first & 0xffff_ffffn)}/${prefix - 96}`] : [])]
}

test('a client is in a network where they agree in so many bits, however both are written', () => {
  fc.assert(
    fc.property(address, fc.nat(128), fc.nat(127), fc.option(address), (network, prefix, flip, other) => {
      // Half of the clients are near the network: one bit differs.
      const client = other ?? network ^ (1n << BigInt(flip))
      const size = BigInt(128 - prefix)
      const expected = network >> size === client >> size
      for (const text of writtenNetworks(network, prefix)) {
        const isInside = insideNetworks([canonicalNetwork(text)])
        for (const written of writings(client)) assert.equal(isInside(written), expected, `${written} in ${text}`)
      }
    }),
  )
})

test('a client is in a list where it is in one of its networks', () =>
  fc.assert(
    fc.property(fc.array(fc.tuple(v4, fc.nat(32)), { minLength: 1, maxLength: 5 }), v4, (networks, client) => {
      const written = networks.map(([number, prefix]) => writtenNetworks(mapped(number), prefix + 96).at(-1) ?? '')
      const agree = (number: bigint, size: bigint) => number >> size === client >> size
      const expected = networks.some(([number, prefix]) => agree(number, BigInt(32 - prefix)))
      assert.equal(insideNetworks(written)(asV4(client)), expected)
    }),
  ))
