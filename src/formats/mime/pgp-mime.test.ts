import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '#test/world/any-character.ts'
import { each } from '#test/world/each.ts'
import { readHeaders } from './header/headers.ts'
import { bareReceivedField } from './header/trace.ts'
import { aroundArmor, plainAddress, plainMessageId } from './pgp-mime.ts'
import { readMessage } from './read-message.ts'

const date = new Date(Date.UTC(2026, 10, 21, 7, 44, 33))
const received = bareReceivedField({ by: 'mx.example', protocol: 'ESMTPS', id: 'abc', at: date })

test('a PGP/MIME message has its two parts, and a header that says what it must', () => {
  const [from, to] = ['ann@shop.example', 'ada@keys.example']
  const { before, after } = aroundArmor({ received, from, to, messageId: '<1@shop.example>', date }, 'limit')
  const message = readMessage(Buffer.from(`${before}-----BEGIN PGP MESSAGE-----\r\n${after}`))
  const names = each(message.headers.fields, 'name').join(' ')
  assert.equal(names, 'received date from to subject message-id mime-version content-type')
  assert.equal(message.subject, '[...]')
  assert.equal(message.headers.first('received'), 'by mx.example with ESMTPS id abc;\tSat, 21 Nov 2026 07:44:33 +0000')
  const [, version, encrypted] = `${before}armor${after}`.split('\r\n--limit')
  assert.match(version ?? '', /^\r\nContent-Type: application\/pgp-encrypted\r\n.*\r\n\r\nVersion: 1\r\n$/)
  assert.match(encrypted ?? '', /^\r\nContent-Type: application\/octet-stream; .*\r\n[\s\S]*\r\n\r\narmor$/)
})

for (const [what, address, expected] of [
  ['an address', 'ann@shop.example', 'ann@shop.example'],
  ['one in UTF-8', 'ann@bücher.example', 'ann@bücher.example'],
  ['one at a literal', 'ann@[192.0.2.1]', 'ann@[192.0.2.1]'],
  ['one that is quoted', '"ann b"@shop.example', null],
  ['a second address', 'ann@shop.example,bob@shop.example', null],
  ['another field', 'ann@shop.example\r\nBcc:x@y', null],
  ['a name', 'ann', null],
  ['nothing', '', null],
] as const)
  test(`of ${what} stays what can stand in a header`, () => assert.equal(plainAddress(address), expected))

test('whatever a message says of its author and its id, no other field comes into the header', () => {
  const text = fc.string({ unit: anyCharacter, maxLength: 30 })
  const piece = fc.constantFrom('a', '@', '<', '>', '\r\n', '\n', ' ', ':', 'X: y', '\u2028', '\0', '\ud800')
  const any = fc.oneof(text, fc.string({ unit: piece }))
  fc.assert(
    fc.property(any, any, (address, id) => {
      const from = plainAddress(`${address}@shop.example`)
      const messageId = plainMessageId(`<${id}>`)
      const { before } = aroundArmor({ received, from, to: 'ada@keys.example', messageId, date }, 'limit')
      const { headers, bodyStart } = readHeaders(Buffer.from(before))
      assert.equal(headers.fields.length, 8 - (from === null ? 1 : 0) - (messageId === null ? 1 : 0))
      assert.ok(before.slice(bodyStart).length > 0)
    }),
  )
})
