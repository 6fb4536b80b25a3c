import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readStructure } from '#/formats/mime/body/structure.ts'
import { readHeaders } from '#/formats/mime/header/headers.ts'
import { hand, letter, newestIn } from '#test/world/letters/letter.ts'
import { privateMailboxFor, storedIn } from '#test/world/mail/private-mailbox.ts'
import { ofFile } from '#test/world/of-file.ts'
import { World } from '#test/world/world.ts'
import { GnuPg } from './gnupg.ts'

const world = await World.ofFile()
const organization = await world.organization()
const gnuPg = ofFile(await GnuPg.start())

for (const [name, kinds] of [
  ['curve25519', { primary: 'ed25519', subkey: 'cv25519' }],
  ['rsa', { primary: 'rsa3072', subkey: 'rsa3072' }],
  ['nist', { primary: 'nistp384', subkey: 'nistp384' }],
] as const)
  test(`what comes for a Private mailbox of a ${name} key, GnuPG decrypts to the octets that a Smart one has`, async () => {
    const certificate = await gnuPg.certificate(await gnuPg.newKey(`${name}@keys.example`, kinds))
    const { id, address } = await privateMailboxFor(organization, name, certificate)
    const smart = await organization.mailbox(`${name}-smart`)
    // Of every length that the last line of the armor can have, and a long one.
    for (const body of ['S', 'Sh', 'Sho', 'Ä long one, with 8-bit\r\n.dots\r\n'.repeat(40_000)]) {
      const text = letter({ Subject: 'Secret' }, body)
      assert.equal(await hand(world, 'ann@peer.example', [address, smart.address], text), '250 2.6.0')
      const raw = (await storedIn(organization, id)).at(-1) ?? Buffer.of()
      const plain = await gnuPg.decrypt(encryptedPart(raw))
      assert.equal(plain.toString('latin1'), await newestIn(organization, smart.address))
      assert.ok(plain.toString().endsWith(`${text}\r\n`))
    }
  })

test('a certificate that GnuPG has revoked, let expire or made for signing alone is refused with its reason', async () => {
  const kinds = { primary: 'ed25519', subkey: 'cv25519' }
  const revoked = await gnuPg.newKey('revoked@keys.example', kinds)
  await gnuPg.revoke(revoked)
  for (const [fingerprint, message] of [
    [revoked, /is revoked/],
    [await gnuPg.newKey('past@keys.example', { ...kinds, at: '20200101T000000' }), /expired on 20\d\d-/],
    [await gnuPg.newKey('signs@keys.example', { primary: 'ed25519' }), /no encryption key/],
  ] as const) {
    const public_key = await gnuPg.certificate(fingerprint)
    const wanted = { domain: organization.domain, local_part: 'refused', kind: 'private', public_key }
    const { status, body } = await organization.request('POST', '/v1/mailboxes', wanted)
    assert.deepEqual([status, body.error.field], [400, 'public_key'])
    assert.match(body.error.message, message)
  }
})

/** The second part, as a mail program finds it (RFC 3156, section 4). */
function encryptedPart(raw: Buffer): Buffer {
  const { headers, bodyStart } = readHeaders(raw)
  assert.match(headers.first('content-type') ?? '', /^multipart\/encrypted; protocol="application\/pgp-encrypted";/)
  const { parts } = readStructure(raw, headers, bodyStart)
  const [version, encrypted, ...others] = parts
  assert.deepEqual(
    [version?.type, encrypted?.type, others.length],
    ['application/pgp-encrypted', 'application/octet-stream', 0],
  )
  return raw.subarray(encrypted?.start, encrypted?.end)
}
