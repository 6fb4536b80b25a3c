import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { Keyring } from '#/base/secrets/keyring.ts'
import { readMessage } from '../read-message.ts'
import { relayMark, relayMarkField, relayMarkKey } from './relay-mark.ts'

const key = relayMarkKey(new Keyring('a secret of at least thirty-two characters'))
const digest = randomBytes(32)
const read = (header: string) => relayMark(key, readMessage(Buffer.from(`${header}\r\nBody\r\n`)).headers)

test('a mark of ours says by what the message was first known', () => {
  assert.deepEqual(read(relayMarkField(key, digest)), digest)
  const others = relayMarkField(relayMarkKey(new Keyring('other')), digest)
  assert.deepEqual(read(others + relayMarkField(key, digest)), digest)
})

for (const [what, header] of [
  ['none', 'Subject: x\r\n'],
  ['one made under another secret', relayMarkField(relayMarkKey(new Keyring('other')), digest)],
  ['one about another digest', relayMarkField(key, digest).replace(/: [0-9a-f]{64}/, `: ${'0'.repeat(64)}`)],
  ['something else', 'Mailroom-Relayed: yes\r\n'],
  ['more than any message has', relayMarkField(key, digest).repeat(6)],
] as const)
  test(`no mark is read where the header has ${what}`, () => assert.equal(read(header), undefined))
