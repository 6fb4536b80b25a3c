import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Authenticator, cbor, passkeyOrigin } from '#test/world/members/authenticator.ts'
import { challengeIn, verifiedCounter, verifiedRegistration } from './verify.ts'

const challenge = Buffer.alloc(32, 7).toString('base64url')
const relyingParty = { id: 'mail.example.com', origin: passkeyOrigin }
const expected = { relyingParty, challenge }

const authenticator = new Authenticator()
const registration = authenticator.create({ challenge, rp: relyingParty, user: { id: 'AA' } })
const made = await verifiedRegistration(registration, expected)
assert.ok(made)
const key = made.public_key
const assertion = authenticator.get({ challenge })

/** Octets in base64url, of which some are others, more or fewer. */
function mutated(text: string): fc.Arbitrary<string> {
  const octets = Buffer.from(text, 'base64url')
  const at = fc.nat(octets.length - 1)
  const changes = fc.oneof(
    fc.tuple(at, fc.integer({ min: 1, max: 255 })).map(([where, by]) => {
      const changed = Buffer.from(octets)
      changed.writeUInt8(changed.readUInt8(where) ^ by, where)
      return changed
    }),
    fc.tuple(at, fc.uint8Array({ minLength: 1, maxLength: 40 })).map(([where, more]) => {
      return Buffer.concat([octets.subarray(0, where), more, octets.subarray(where)])
    }),
    at.map((length) => octets.subarray(0, length)),
    fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
  )
  return changes.filter((changed) => !changed.equals(octets)).map((changed) => changed.toString('base64url'))
}

/** A signature of which the second number, at its end, is another one. */
function otherNumber(text: string): fc.Arbitrary<string> {
  const octets = Buffer.from(text, 'base64url')
  return fc.tuple(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 255 })).map(([fromEnd, by]) => {
    const [changed, where] = [Buffer.from(octets), octets.length - fromEnd]
    changed.writeUInt8(changed.readUInt8(where) ^ by, where)
    return changed.toString('base64url')
  })
}

test('what was signed is what counts: with any other octet nothing opens, and nothing fails', async () => {
  assert.equal(await verifiedCounter(assertion, key, expected), 1)
  for (const [field, texts] of [
    ['clientDataJSON', mutated(assertion.response.clientDataJSON)],
    ['authenticatorData', mutated(assertion.response.authenticatorData)],
    ['signature', otherNumber(assertion.response.signature)],
  ] as const) {
    const property = fc.asyncProperty(texts, async (text) => {
      const response = { ...assertion.response, [field]: text }
      assert.equal(await verifiedCounter({ ...assertion, response }, key, expected), undefined)
    })
    await fc.assert(property, { numRuns: 150 })
  }
})

test('whatever is written in place of a signature opens nothing, or is that signature, and nothing fails', async () => {
  const property = fc.asyncProperty(mutated(assertion.response.signature), async (signature) => {
    const response = { ...assertion.response, signature }
    // The lengths in a signature in DER may be written in more ways than one.
    assert.ok([undefined, 1].includes(await verifiedCounter({ ...assertion, response }, key, expected)))
  })
  await fc.assert(property, { numRuns: 150 })
})

test('whatever says to be a new passkey is one or none, and nothing fails', async () => {
  for (const field of ['clientDataJSON', 'attestationObject'] as const) {
    const property = fc.asyncProperty(mutated(registration.response[field]), async (text) => {
      challengeIn(text)
      const response = { ...registration.response, [field]: text }
      const found = await verifiedRegistration({ ...registration, response }, expected)
      assert.ok(found === undefined || found.public_key.length > 0)
    })
    await fc.assert(property, { numRuns: 150 })
  }
})

const nothing = new Map<string, never>()
const keyless = { fmt: 'none', attStmt: nothing, authData: Buffer.alloc(37) }
for (const [what, bytes] of [
  ['arrays in arrays in arrays', Buffer.alloc(65_000, 0x81)],
  ['an array that is said to be endless', Buffer.from('9bffffffffffffffff', 'hex')],
  ['a text that is said to be endless', Buffer.from('7bffffffffffffffff00', 'hex')],
  ['no map', cbor('none')],
  ['a map without what has to be there', cbor(nothing)],
  ['data without a key', cbor(new Map<string, string | Buffer | typeof nothing>(Object.entries(keyless)))],
] as const)
  test(`an attestation of ${what} is none`, async () => {
    const response = { ...registration.response, attestationObject: bytes.toString('base64url') }
    assert.equal(await verifiedRegistration({ ...registration, response }, expected), undefined)
  })
