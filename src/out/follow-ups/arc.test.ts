import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { arc } from 'mailauth/lib/arc/index.js'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { readMessage } from '#/formats/mime/read-message.ts'
import { letter } from '#test/world/letters/letter.ts'
import { arcSet } from './arc.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const key = { domain: 'here.example', selector: 'r1', algorithm: 'rsa', privateKey } as const
const at = new Date('2026-11-25T09:00:00Z')

async function sealed(text: string): Promise<boolean> {
  const raw = Buffer.from(text)
  const sealing = { message: readMessage(raw), raw, results: 'mx.here.example; dmarc=pass', key, at }
  const set = String(await arcSet(sealing, async () => assert.fail('a chain was looked for')))
  if (set !== '') assert.match(set, /^ARC-Seal: i=1; /)
  return set !== ''
}

const record = `v=DKIM1; k=rsa; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`
const lookUp = async () => [record]

/** The message as it is passed on, with this `Authentication-Results`. */
async function passedOn(raw: Buffer, results = 'mx.here.example; dmarc=pass'): Promise<Buffer> {
  return Buffer.concat([await arcSet({ message: readMessage(raw), raw, results, key, at }, lookUp), raw])
}

async function chainOf(raw: Buffer): Promise<string> {
  const { arc: chain } = await dkimVerify(raw, { resolver: lookUp, strict: true })
  if (!chain) return 'none'
  return (await arc(chain as Parameters<typeof arc>[0], { resolver: lookUp, strict: true })).status.result
}

for (const [what, results] of [
  ['of an ASCII sender', 'mx.here.example; spf=pass smtp.mailfrom=ann@far.example'],
  ['of a sender with a non-ASCII local part', 'mx.here.example; spf=pass smtp.mailfrom="zoë@far.example"'],
] as const)
  test(`the seals of a message ${what} are valid at each server that it passes`, async () => {
    const once = await passedOn(Buffer.from(letter()), results)
    const twice = await passedOn(once, results)
    assert.deepEqual([await chainOf(once), await chainOf(twice)], ['pass', 'pass'])
    assert.match(twice.toString(), /^ARC-Seal: i=2; .*cv=pass/)
  })

const set = {
  'ARC-Seal': 'i=1; a=rsa-sha256; cv=none; d=far.example; s=s; b=AA==',
  'ARC-Message-Signature': 'i=1; a=rsa-sha256; c=relaxed/relaxed; d=far.example; s=s; h=from; bh=AA==; b=AA==',
  'ARC-Authentication-Results': 'i=1; far.example; spf=pass',
}

for (const left of Object.keys(set))
  test(`a set without its ${left} makes the chain fail, which the next seal says`, async () => {
    const rest = Object.fromEntries(Object.entries(set).filter(([name]) => name !== left))
    const next = await passedOn(Buffer.from(letter(rest)))
    assert.match(next.toString(), /^ARC-Seal: i=2; .*cv=fail/)
  })

test('a chain over a message that was changed later fails, which the next seal says', async () => {
  const changed = String(await passedOn(Buffer.from(letter()))).replace('\r\n\r\nHello', '\r\n\r\nHullo')
  assert.match(String(await passedOn(Buffer.from(changed))), /^ARC-Seal: i=2; .*cv=fail/)
})

test('a chain whose last seal says that it failed is not continued', async () => {
  const failed = await passedOn(Buffer.from(letter({ 'ARC-Seal': set['ARC-Seal'] })))
  assert.deepEqual(await passedOn(failed), failed)
})

const long = (octets: number) => ({ 'X-Long': 'word '.repeat(octets / 5) })
const large = 256 * 1024
const headerOnly = (text: string) => text.slice(0, text.indexOf('\r\n\r\n') + 2)

for (const [what, text, isSealed] of [
  ['a message', letter(), true],
  ['a header without a body', headerOnly(letter()), true],
  ['a message with a large body', letter({}, 'x'.repeat(2 * large)), true],
  ['a message with a large header', letter(long(large)), false],
  ['a large header without a body', headerOnly(letter(long(large))), false],
] as const)
  test(`${what} is passed on ${isSealed ? 'with' : 'without'} a seal`, async () =>
    assert.equal(await sealed(text), isSealed))
