import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { relyingPartyAt } from './relying-party.ts'

const at = (host: string | undefined, publicUrl?: string) =>
  relyingPartyAt({ headers: { host }, raw: { socket: { localPort: 8080 } } } as FastifyRequest, publicUrl)

for (const [what, publicUrl, host, id, origin] of [
  ['the public URL', 'https://mail.example.com', 'mail.example.com', 'mail.example.com', 'https://mail.example.com'],
  ['the public URL, whoever asks', 'https://a.example:8443', 'localhost', 'a.example', 'https://a.example:8443'],
  ['a public URL on this machine', 'http://localhost:3000', '127.0.0.1', 'localhost', 'http://localhost:3000'],
  ['localhost, at the port that was reached', undefined, 'localhost:9999', 'localhost', 'http://localhost:8080'],
  ['localhost in any case', undefined, 'LocalHost', 'localhost', 'http://localhost:8080'],
] as const)
  test(`passkeys are those of ${what}`, () => assert.deepEqual(at(host, publicUrl), { id, origin }))

for (const [what, publicUrl, host] of [
  ['a name that a request says', undefined, 'mail.example.com'],
  ['an address of this machine', undefined, '127.0.0.1:8080'],
  ['another one of this machine', undefined, '[::1]:8080'],
  ['a name that begins like localhost', undefined, 'localhost.evil.example'],
  ['no name', undefined, undefined],
  ['a public URL without TLS', 'http://mail.example.com', 'mail.example.com'],
  ['a public URL with an IPv4 address', 'https://192.0.2.7', '192.0.2.7'],
  ['a public URL with an IPv6 address', 'https://[2001:db8::7]', '[2001:db8::7]'],
] as const)
  test(`there are no passkeys under ${what}`, () => assert.equal(at(host, publicUrl), undefined))
