import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import fc from 'fast-check'
import fastify from 'fastify'
import { type Logger, pino } from 'pino'
import { parseTrustedProxies } from '#/app/config/networks.ts'
import { insideOf, readAddress } from '#/base/network/ip-address.ts'
import { sourcePaths, sourceRoot } from '#test/laws/import-law.ts'
import type { App } from '../app-type.ts'
import { clientAddress, findClients } from './client-address.ts'

const proxies = parseTrustedProxies('loopback, 10.0.0.0/8, 2001:db8:a::/48')
const isTrusted = insideOf(proxies)

for (const [what, peer, forwarded, expected] of [
  ['without the header', '10.0.0.1', undefined, '10.0.0.1'],
  ['with an empty one', '10.0.0.1', '', '10.0.0.1'],
  ['behind one proxy', '10.0.0.1', '192.0.2.1', '192.0.2.1'],
  ['behind one proxy, of IPv6', '2001:db8:a::1', '2001:DB8:b:0::1', '2001:db8:b::1'],
  ['that wrote something itself', '10.0.0.1', '198.51.100.7, 192.0.2.1', '192.0.2.1'],
  ['that wrote the address of a proxy', '10.0.0.1', '10.0.0.2, 192.0.2.1', '192.0.2.1'],
  ['behind two proxies', '10.0.0.1', '192.0.2.1, 10.0.0.2', '192.0.2.1'],
  ['behind two, one of which is not trusted', '10.0.0.1', '192.0.2.1, 203.0.113.9', '203.0.113.9'],
  ['that is a trusted proxy itself', '10.0.0.1', '10.0.0.3,10.0.0.2', '10.0.0.3'],
  ['of an IPv4-mapped address', '127.0.0.1', '::ffff:192.0.2.1', '192.0.2.1'],
  ['behind an IPv4-mapped proxy', '127.0.0.1', '192.0.2.1, ::ffff:10.0.0.2', '192.0.2.1'],
  ['with a port', '::1', '192.0.2.1:4711', '192.0.2.1'],
  ['of IPv6 with a port', '::1', '[2001:db8::1]:4711', '2001:db8::1'],
  ['of IPv6 in brackets', '::1', '[2001:db8::1]', '2001:db8::1'],
  ['that the proxy does not know', '10.0.0.1', '192.0.2.1, unknown', '10.0.0.1'],
  ['that the second proxy hides', '10.0.0.1', '192.0.2.1, _hidden, 10.0.0.2', '10.0.0.2'],
  ['behind an empty entry', '10.0.0.1', '192.0.2.1, ', '10.0.0.1'],
  ['with a zone', '10.0.0.1', 'fe80::1%eth0', '10.0.0.1'],
  ['written as a number', '10.0.0.1', '3221225985', '10.0.0.1'],
  ['not behind a trusted proxy', '192.0.2.9', '192.0.2.1', '192.0.2.9'],
  ['behind 16 proxies', '10.0.0.1', `192.0.2.1${', 10.0.0.2'.repeat(15)}`, '192.0.2.1'],
  ['behind more', '10.0.0.1', `192.0.2.1${', 10.0.0.2'.repeat(16)}`, '10.0.0.2'],
] as const)
  test(`a client ${what} has the address ${expected}`, () =>
    assert.equal(clientAddress(peer, forwarded, isTrusted), expected))

const anyAddress = fc.oneof(fc.ipV4(), fc.ipV6()).map((text) => readAddress(text) ?? assert.fail(text))
const stranger = anyAddress.filter((address) => !isTrusted(address))
const proxy = fc.oneof(
  fc.nat(0xffff).map((last) => `10.7.${last >> 8}.${last & 255}`),
  fc.nat(0xffff).map((last) => readAddress(`2001:db8:a::${last.toString(16)}`) ?? ''),
)
/** All that may stand in a header, and what looks most like it. */
const header = fc.oneof(fc.string(), fc.array(fc.oneof(anyAddress, proxy, fc.string()), { maxLength: 40 }).map(String))

test('who is no trusted proxy cannot choose an address', () =>
  fc.assert(fc.property(stranger, header, (peer, text) => assert.equal(clientAddress(peer, text, isTrusted), peer))))

test('nor can a client behind trusted proxies, whatever it sends', () => {
  const chain = fc.array(proxy, { minLength: 1, maxLength: 16 })
  fc.assert(
    fc.property(stranger, header, chain, (client, text, [peer = '', ...more]) =>
      assert.equal(clientAddress(peer, [text, client, ...more].join(', '), isTrusted), client),
    ),
  )
})

test('behind a trusted proxy too the result is always an address', () =>
  fc.assert(
    fc.property(proxy, header, (peer, text) => {
      assert.notEqual(isIP(clientAddress(peer, text, isTrusted)), 0)
    }),
  ))

for (const [peer, expected] of [
  ['192.168.7.1', 1],
  ['fd00::7', 1],
  ['::ffff:172.16.0.1', 1],
  ['10.0.0.1', 0],
  ['::ffff:10.0.0.1', 0],
  ['8.8.8.8', 0],
  ['2606:4700:4700::1111', 0],
] as const)
  test(`X-Forwarded-For from ${peer} is ${expected ? 'warned of, once' : 'not warned of'}`, async () => {
    const warnings: string[] = []
    const log = { warn: (_fields: object, message: string) => void warnings.push(message) } as Logger
    const silent = fastify({ loggerInstance: pino({ level: 'silent' }) })
    await using app: App = silent.withTypeProvider<TypeBoxTypeProvider>()
    findClients(app, { trustedProxies: proxies, log })
    app.get('/', ({ clientAddress }) => clientAddress)
    const from = async (headers: Record<string, string>) =>
      (await app.inject({ url: '/', remoteAddress: peer, headers })).body
    const own = await from({})
    assert.deepEqual([own, warnings], [readAddress(peer), []])
    const isProxy = isTrusted(own)
    for (const _time of [1, 2])
      assert.equal(await from({ 'X-Forwarded-For': '192.0.2.1' }), isProxy ? '192.0.2.1' : own)
    assert.equal(warnings.length, expected)
    for (const warning of warnings) assert.ok(warning.includes(`add ${own} to MAILROOM_TRUSTED_PROXIES`), warning)
  })

test('nothing but this asks whose a request is', () => {
  const asking = sourcePaths().filter((path) =>
    /\bremoteAddress\b|\brequest\.ips?\b|trustProxy:/.test(readFileSync(join(sourceRoot, path), 'utf8')),
  )
  assert.deepEqual(asking.sort(), ['http/connections/client-address.ts', 'smtp/connection/acceptor.ts'])
})
