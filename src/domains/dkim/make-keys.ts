import { generateKeyPair, randomBytes, randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { type SealingKey, seal } from '#/base/secrets/seal.ts'
import type { PublishedKey } from '../dns/records.ts'

/** A signing key of a domain, with the private half sealed for the database. */
export interface SigningKey extends PublishedKey {
  readonly id: string
  readonly sealed: Buffer
}

const generate = promisify(generateKeyPair)

/** The purpose of `sealingKey` for what is sealed here. */
export const sealedAs = 'dkim' as const

/** Makes a pair of keys, RSA-2048 and Ed25519 (RFC 8463), in libuv's threads: an RSA key takes some 100 ms, which must not
 *  hold the event loop. Selectors are random, so that neither two organizations that claim one domain nor an old and a new
 *  pair use the same record. */
export async function makeKeys(key: SealingKey): Promise<SigningKey[]> {
  const pair = `mr${randomBytes(5).toString('hex')}`
  const [rsa, ed25519] = await Promise.all([
    generate('rsa', { modulusLength: 2048, publicKeyEncoding, privateKeyEncoding }),
    generate('ed25519', { publicKeyEncoding, privateKeyEncoding }),
  ])
  return [
    sealed(key, { selector: `${pair}-rsa`, algorithm: 'rsa', publicKey: base64(rsa.publicKey) }, rsa.privateKey),
    sealed(
      key,
      // The last 32 octets of its SubjectPublicKeyInfo are the key itself (RFC 8410, section 4).
      { selector: `${pair}-ed`, algorithm: 'ed25519', publicKey: base64(ed25519.publicKey.subarray(-32)) },
      ed25519.privateKey,
    ),
  ]
}

const publicKeyEncoding = { type: 'spki', format: 'der' } as const
const privateKeyEncoding = { type: 'pkcs8', format: 'der' } as const

function sealed(key: SealingKey, published: PublishedKey, privateKey: Buffer): SigningKey {
  const id = randomUUID()
  return { id, ...published, sealed: seal(key, id, privateKey) }
}

function base64(octets: Buffer): string {
  return octets.toString('base64')
}
