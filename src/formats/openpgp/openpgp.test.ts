import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { config, decrypt, readKey, readMessage, readPrivateKey, revokeKey } from 'openpgp'
import { Refusal } from '#/base/errors.ts'
import { dsaCertificate } from '#test/world/letters/dsa-certificate.ts'
import { openPgpKey } from '#test/world/letters/openpgp-key.ts'
import { ofFile } from '#test/world/of-file.ts'
import { OpenPgp } from './openpgp.ts'

const openPgp = ofFile(new OpenPgp())

const now = new Date()
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000)

const good = await openPgpKey()

for (const [what, options] of [
  ['Curve25519', {}],
  ['Curve25519 as GnuPG makes it', { type: 'ecc', curve: 'curve25519Legacy' }],
  ['Curve448', { type: 'curve448' }],
  ['P-256', { type: 'ecc', curve: 'nistP256' }],
  ['RSA-2048', { type: 'rsa', rsaBits: 2048 }],
  ['version 6', { config: { ...config, v6Keys: true } }],
] as const)
  test(`mail can be encrypted to a key of ${what}, and only its owner reads it`, async () => {
    const { publicKey, privateKey } = await openPgpKey(options)
    const { usableAt } = await openPgp.certificate(publicKey, new Date())
    const bytes = Buffer.from('Subject: Secret\r\n\r\nbody \xff\r\n', 'latin1')
    const enclosed = await openPgp.enclose({ certificate: publicKey, usableAt, before: 'b\r\n', bytes, after: 'a\r\n' })
    assert.match(
      enclosed.toString('latin1'),
      /^b\r\n-----BEGIN PGP MESSAGE-----\r\n\r\n[\s\S]*-----END PGP MESSAGE-----\r\na\r\n$/,
    )
    assert.deepEqual(await opened(enclosed, privateKey), bytes)
  })

for (const length of [0, 1, 47, 48, 49, 1000, 65_535, 1 << 20])
  test(`${length} octets are read back unchanged, in lines of 64 characters`, async () => {
    const bytes = randomBytes(length)
    const plain = { certificate: good.publicKey, usableAt: now, before: '', bytes, after: '' }
    const enclosed = await openPgp.enclose({ ...plain, usableAt: new Date() })
    const [, , ...lines] = enclosed.toString('latin1').split('\r\n').slice(0, -2)
    const checksum = lines.pop() ?? ''
    assert.match(checksum, /^=[A-Za-z0-9+/]{4}$/)
    assert.ok(lines.slice(0, -1).every((line) => line.length === 64))
    assert.deepEqual(await opened(enclosed, good.privateKey), bytes)
  })

test('a certificate that has expired since it was accepted is still used', async () => {
  const { publicKey, privateKey } = await openPgpKey({ date: daysAgo(10), keyExpirationTime: 5 * 86_400 })
  const { usableAt } = await openPgp.certificate(publicKey, daysAgo(8))
  await assert.rejects(openPgp.certificate(publicKey, now), /expired on/)
  const bytes = Buffer.from('x')
  const enclosed = await openPgp.enclose({ certificate: publicKey, usableAt, before: '', bytes, after: '' })
  const message = await readMessage({ armoredMessage: enclosed.toString() })
  const decryptionKeys = await readPrivateKey({ armoredKey: privateKey })
  assert.equal((await decrypt({ message, decryptionKeys, date: daysAgo(8) })).data, 'x')
})

test('a key from a clock slightly ahead of ours is accepted, and one of tomorrow is not', async () => {
  const { publicKey } = await openPgpKey()
  const { usableAt } = await openPgp.certificate(publicKey, new Date(Date.now() - 600_000))
  assert.ok(usableAt > new Date(Date.now() - 60_000))
  assert.match((await problem(publicKey, daysAgo(1))).message, /in the future/)
})

const bad: readonly [what: string, certificate: () => Promise<string> | string, message: RegExp, fix?: RegExp][] = [
  ['nothing', () => '', /not an OpenPGP certificate in ASCII armor/, /gpg --armor --export/],
  ['an SSH key', () => 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI', /not an OpenPGP certificate/],
  ['an armor that is cut off', () => good.publicKey.slice(0, 200), /not an OpenPGP certificate/],
  ['an armor around nothing', () => armor(''), /not an OpenPGP certificate/],
  ['an armor around rubbish', () => armor(randomBytes(300).toString('base64')), /not an OpenPGP certificate/],
  ['a message', async () => (await enclosedBytes()).toString(), /not an OpenPGP certificate/],
  ['a secret key', () => good.privateKey, /contains a secret key/, /generate another key/],
  ['a secret key under another name', () => good.privateKey.replaceAll('PRIVATE', 'PUBLIC'), /contains a secret key/],
  ['two certificates', async () => `${good.publicKey}\n${(await openPgpKey()).publicKey}`, /more than one block/],
  ['two certificates in one block', twoInOne, /There are 2 certificates/],
  ['70,000 characters', () => good.publicKey + ' '.repeat(70_000), /more than 65,536 characters/, /export-minimal/],
  ['one that is revoked', revoked, /is revoked/],
  ['one expired', () => made({ date: daysAgo(9), keyExpirationTime: 86_400 }), /expired on \d{4}-\d\d-\d\d/, /Extend/],
  ['one without an encryption key', () => made({ subkeys: [] }), /has no encryption key/, /subkey/],
  ['one that can only sign', () => made({ subkeys: [{ sign: true }] }), /has no encryption key/],
  [
    'one whose encryption key has expired',
    () => made({ date: daysAgo(9), subkeys: [{ keyExpirationTime: 86_400 }] }),
    /No encryption key of the certificate can be used: [0-9A-F]{16} is expired/,
  ],
  ['RSA of 1024 bits', () => made({ type: 'rsa', rsaBits: 1024, config: weak }), /has 1024 bits, and RSA needs 2048/],
  [
    'an encryption key of 1024 bits',
    () => made({ subkeys: [{ type: 'rsa', rsaBits: 1024 }], config: weak }),
    /can be used: [0-9A-F]{16} has 1024 bits/,
  ],
  ['a DSA key', () => dsaCertificate, /deprecated algorithm \(dsa\)/],
  ['a key whose signatures are of another', forged, /has no valid self-signature/],
]

for (const [what, certificate, message, fix = /^|$/] of bad)
  test(`refused, with the reason: ${what}`, async () => {
    const refusal = await problem(await certificate(), now)
    assert.match(refusal.message, message)
    assert.match(refusal.fix ?? '', fix)
  })

test('a task that takes too long fails, and the next task gets another thread', async () => {
  await using hasty = new OpenPgp({ check: 0 })
  await assert.rejects(hasty.certificate(good.publicKey, now), /took too long/)
  await assert.rejects(hasty.certificate(good.publicKey, now), /took too long/)
})

test('25 MiB are encrypted in one task of a thread, to which they are handed as they lie', async (t) => {
  const bytes = Buffer.from(new SharedArrayBuffer(25 << 20)).fill('A line of text that is a message, more or less.\r\n')
  const { mock } = t.mock.method(Worker.prototype, 'postMessage')
  const enclosed = await enclosedBytes(bytes)
  const handed = mock.calls.map(({ arguments: [{ work }] }) => work.enclose.bytes.buffer)
  assert.deepEqual([handed.length, handed[0] === bytes.buffer], [1, true])
  assert.ok((await opened(enclosed, good.privateKey)).equals(bytes))
})

async function opened(enclosed: Buffer, privateKey: string): Promise<Buffer> {
  const armoredMessage =
    /-----BEGIN PGP MESSAGE[\s\S]*END PGP MESSAGE-----/.exec(enclosed.toString('latin1'))?.[0] ?? ''
  const message = await readMessage({ armoredMessage })
  const decryptionKeys = await readPrivateKey({ armoredKey: privateKey })
  const { data } = await decrypt({ message, decryptionKeys, format: 'binary' })
  return Buffer.from(data as Uint8Array)
}

function enclosedBytes(bytes: Buffer = Buffer.from('x')): Promise<Buffer> {
  return openPgp.enclose({ certificate: good.publicKey, usableAt: new Date(), before: '', bytes, after: '' })
}

async function problem(certificate: string, at: Date): Promise<Refusal> {
  const refusal = await openPgp.certificate(certificate, at).then(
    () => assert.fail('it was taken'),
    (error: unknown) => error,
  )
  assert.ok(refusal instanceof Refusal)
  assert.deepEqual([refusal.code, refusal.field], ['invalid_request', 'public_key'])
  return refusal
}

const weak = { ...config, minRSABits: 1024 }

async function made(options: Parameters<typeof openPgpKey>[0]): Promise<string> {
  return (await openPgpKey(options)).publicKey
}

function armor(base64: string): string {
  return `-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n${base64}\n-----END PGP PUBLIC KEY BLOCK-----\n`
}

async function twoKeys(): Promise<[Buffer, Buffer]> {
  const bytes = async (armoredKey: string) => Buffer.from((await readKey({ armoredKey })).write())
  return [await bytes(good.publicKey), await bytes((await openPgpKey()).publicKey)]
}

async function twoInOne(): Promise<string> {
  return armor(Buffer.concat(await twoKeys()).toString('base64'))
}

async function revoked(): Promise<string> {
  const key = await readPrivateKey({ armoredKey: (await openPgpKey()).privateKey })
  return (await revokeKey({ key, format: 'armored' })).publicKey
}

/** A certificate with its primary key in the place of another's: nothing of it is signed by the key that it names. */
async function forged(): Promise<string> {
  const [one, another] = await twoKeys()
  const primaryBytes = 2 + (one[1] ?? 0)
  return armor(Buffer.concat([another.subarray(0, primaryBytes), one.subarray(primaryBytes)]).toString('base64'))
}
