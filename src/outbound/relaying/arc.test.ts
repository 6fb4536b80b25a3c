import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { readMessage } from '#/mime/message.ts'
import { letter } from '#test/mail/letter.ts'
import { arcSet } from './arc.ts'

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const key = { domain: 'here.example', selector: 'r1', algorithm: 'rsa', privateKey } as const
const at = new Date('2026-11-25T09:00:00Z')

async function sealed(text: string): Promise<boolean> {
  const raw = Buffer.from(text)
  const sealing = { message: readMessage(raw), raw, results: 'mx.here.example; dmarc=pass', key, at }
  const set = await arcSet(sealing, async () => assert.fail('a chain was looked for'))
  if (set !== '') assert.match(set, /^ARC-Seal: i=1; /)
  return set !== ''
}

const long = (octets: number) => ({ 'X-Long': 'word '.repeat(octets / 5) })
const large = 256 * 1024
const headerOnly = (text: string) => text.slice(0, text.indexOf('\r\n\r\n') + 2)

for (const [what, text, isSealed] of [
  ['a message', letter(), true],
  ['a header without a body', headerOnly(letter()), true],
  ['a message with a large body', letter({}, 'x'.repeat(2 * large)), true],
  ['a message with a large header', letter(long(large)), false],
  ['a large header without a body', headerOnly(letter(long(large))), false],
] as const) {
  test(`${what} is passed on ${isSealed ? 'with' : 'without'} a seal`, async () =>
    assert.equal(await sealed(text), isSealed))
}
