import { type Config, createMessage, encrypt, enums, type Key, config as libraryDefaults, readKeys } from 'openpgp'

/** Why a certificate cannot be used, in a sentence for the caller. */
export class CertificateProblem extends Error {
  readonly fix: string | undefined

  constructor(message: string, fix?: string) {
    super(message)
    this.name = 'CertificateProblem'
    this.fix = fix
  }
}

/** Room for a dozen RSA-4096 subkeys with their signatures; those of other people can be left out of an export. */
const mostCertificateCharacters = 64 * 1024

/** Clocks differ: a key may be this much newer than now (milliseconds). */
const mostAhead = 3_600_000

/** NIST SP 800-131A, revision 2; a smaller key may be factored while what was encrypted to it is still worth reading. */
const leastRsaBits = 2048
/** Larger keys only take time. */
const mostRsaBits = 8192
/** RFC 9580, section 9.1 deprecates them. */
const outdated: ReadonlySet<string> = new Set(['dsa', 'elgamal'])
/** A curve that OpenPGP does not have, and those whose signatures the library cannot verify on Node. */
const unsupportedCurves = /^(?:secp256k1$|brainpool)/

/** The library's settings. No compression: to deflate 25 MiB takes six times as long as all the rest. */
export const config: Config = {
  ...libraryDefaults,
  minRSABits: leastRsaBits,
  preferredCompressionAlgorithm: enums.compression.uncompressed,
}

/**
 * Reads the only OpenPGP certificate (RFC 9580, section 10.1) in an armored text and checks that mail can be encrypted to it.
 * Answers the time at which it is valid: `now`, or a little later if clocks differ.
 * @throws CertificateProblem
 */
export async function usableAt(armored: string, now: Date): Promise<Date> {
  const certificate = await oneCertificate(armored)
  // Before any signature is verified: a large key makes that slow.
  const weak = weaknessOf(certificate)
  if (weak !== undefined)
    throw new CertificateProblem(`The primary key ${weak}`, 'Generate a key of Curve25519 or RSA-3072')
  const at = new Date(Math.max(now.getTime(), newestMoment(certificate, now)))
  if (certificate.getCreationTime() > at) {
    throw new CertificateProblem(`The certificate was created on ${day(certificate.getCreationTime())}, in the future`)
  }
  if (await certificate.isRevoked(undefined, undefined, at, config)) {
    throw new CertificateProblem('The certificate is revoked', 'Generate another key')
  }
  const expires = await certificate.getExpirationTime(undefined, config).catch(() => null)
  if (expires === null) throw new CertificateProblem('The certificate has no valid self-signature')
  if (expires instanceof Date && expires <= at) {
    throw new CertificateProblem(`The certificate expired on ${day(expires)}`, 'Extend it and export it again')
  }
  await assertEncrypts(certificate, at)
  return at
}

/** @throws CertificateProblem */
export async function oneCertificate(armored: string): Promise<Key> {
  if (armored.length > mostCertificateCharacters) {
    const most = mostCertificateCharacters.toLocaleString('en')
    throw new CertificateProblem(
      `The certificate has more than ${most} characters`,
      "Leave other people's signatures out: gpg --armor --export-options export-minimal --export",
    )
  }
  if (/-----BEGIN PGP PRIVATE KEY/.test(armored)) throw secretKey()
  if ((armored.match(/-----BEGIN PGP/g)?.length ?? 0) > 1) {
    throw new CertificateProblem('There is more than one block of ASCII armor', 'Give one certificate')
  }
  const keys = await readKeys({ armoredKeys: armored, config }).catch(() => [])
  const [key, ...others] = keys
  if (!key) {
    throw new CertificateProblem(
      'This is not an OpenPGP certificate in ASCII armor',
      'Give the whole text from -----BEGIN PGP PUBLIC KEY BLOCK----- on, as gpg --armor --export writes it',
    )
  }
  if (keys.some((one) => one.isPrivate())) throw secretKey()
  if (others.length > 0) throw new CertificateProblem(`There are ${keys.length} certificates`, 'Give one certificate')
  return key
}

function secretKey(): CertificateProblem {
  return new CertificateProblem(
    'This contains a secret key',
    'Consider it compromised: generate another key, and give only its public part',
  )
}

/** A key or a subkey. */
type AnyKey = Pick<Key, 'getAlgorithmInfo' | 'getCreationTime' | 'getKeyID'>

function weaknessOf(key: AnyKey): string | undefined {
  const { algorithm, bits, curve } = key.getAlgorithmInfo()
  if (outdated.has(algorithm)) return `uses a deprecated algorithm (${algorithm})`
  if (curve !== undefined && unsupportedCurves.test(curve)) return `uses an unsupported curve (${curve})`
  if (bits !== undefined && bits < leastRsaBits) return `has ${bits} bits, and RSA needs ${leastRsaBits}`
  if (bits !== undefined && bits > mostRsaBits) return `has ${bits} bits, and ${mostRsaBits} are the maximum`
  return undefined
}

/** The time of the key's newest part that is at most `mostAhead` in the future. */
function newestMoment({ keyPacket, subkeys, users }: Key, now: Date): number {
  const signatures = [
    ...users.flatMap((one) => one.selfCertifications),
    ...subkeys.flatMap((one) => one.bindingSignatures),
  ]
  const moments = [keyPacket, ...subkeys.map((one) => one.keyPacket), ...signatures].map(({ created }) =>
    Number(created),
  )
  return Math.max(0, ...moments.filter((moment) => moment <= now.getTime() + mostAhead))
}

async function assertEncrypts(certificate: Key, at: Date): Promise<void> {
  const key = await certificate.getEncryptionKey(undefined, at, undefined, config).catch(() => undefined)
  if (!key) throw new CertificateProblem(...(await whyNone(certificate, at)))
  const weak = weaknessOf(key)
  if (weak !== undefined)
    throw new CertificateProblem(`The encryption key ${named(key)} ${weak}`, 'Generate another one')
  try {
    await encrypt({ message: await createMessage({ text: 'x' }), encryptionKeys: certificate, date: at, config })
  } catch {
    throw new CertificateProblem(`Encryption to the key failed: ${named(key)}`, 'Generate another one')
  }
}

async function whyNone(certificate: Key, at: Date): Promise<[problem: string, fix: string]> {
  const candidates = certificate.subkeys.filter(({ keyPacket }) => encrypting.has(keyPacket.algorithm))
  const reasons = await Promise.all(
    candidates.map(async (subkey) => {
      const failure = await subkey.verify(at, config).then(
        () => undefined,
        (error: Error) => error.message.replace(/^Subkey /, ''),
      )
      return `${named(subkey)} ${failure ?? weaknessOf(subkey) ?? 'has no flag for encryption'}`
    }),
  )
  if (reasons.length === 0) return ['The certificate has no encryption key', 'Add an encryption subkey']
  return [`No encryption key of the certificate can be used: ${reasons.join('; ')}`, 'Add an encryption subkey']
}

const { publicKey } = enums
const encrypting: ReadonlySet<number> = new Set([
  publicKey.rsaEncryptSign,
  publicKey.rsaEncrypt,
  publicKey.elgamal,
  publicKey.ecdh,
  publicKey.x25519,
  publicKey.x448,
])

function named(key: AnyKey): string {
  return key.getKeyID().toHex().toUpperCase()
}

function day(at: Date): string {
  return at.toISOString().slice(0, 10)
}
