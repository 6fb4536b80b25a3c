import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto'
import { DerivedKeys, type Keyring, markLength } from './keyring.ts'
import type { SealedPurpose } from './sealed-columns.ts'

/** The keys that seal values of one purpose. */
export interface SealingKey {
  readonly keys: DerivedKeys
}

/** Values sealed for one purpose do not open for another. `sealedColumns` has the columns of each purpose. */
export function sealingKey(keyring: Keyring, purpose: SealedPurpose): SealingKey {
  return { keys: new DerivedKeys(keyring, `mailroom seal ${purpose}`) }
}

const VERSION = 2
const NONCE = 12
const TAG = 16

/**
 * Seals octets with AES-256-GCM (NIST SP 800-38D): version, mark of the secret in force, nonce, ciphertext, tag. `place`, usually
 * the id of the row, is authenticated too: sealed octets do not open in another row.
 */
export function seal({ keys }: SealingKey, place: string, plain: string | Buffer): Buffer {
  const nonce = randomBytes(NONCE)
  const { inForce } = keys.secrets
  const cipher = createCipheriv('aes-256-gcm', keys.of(inForce), nonce, { authTagLength: TAG })
  cipher.setAAD(Buffer.from(place))
  return Buffer.concat([markOf(inForce), nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

/** The first octets of all values sealed under this secret. */
export function markOf({ fingerprint }: { readonly fingerprint: Buffer }): Buffer {
  return Buffer.concat([Buffer.of(VERSION), fingerprint.subarray(0, markLength)])
}

/**
 * Opens sealed octets.
 * @throws Error if they were sealed under an unknown secret or for another place, or were altered
 */
export function unseal({ keys }: SealingKey, place: string, sealed: Buffer): Buffer {
  if (sealed[0] !== VERSION || sealed.length < 1 + markLength + NONCE + TAG)
    throw new Error('This was not sealed by Mailroom')
  const mark = sealed.subarray(1, 1 + markLength)
  const secret = keys.secrets.known.find(({ fingerprint }) => mark.equals(fingerprint.subarray(0, markLength)))
  if (!secret) throw new Error('This was sealed under a secret that this process does not know')
  return opened(keys.of(secret), place, sealed.subarray(1 + markLength))
}

/** Opens nonce, ciphertext and tag. */
function opened(key: KeyObject, place: string, sealed: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE), { authTagLength: TAG })
  decipher.setAAD(Buffer.from(place)).setAuthTag(sealed.subarray(-TAG))
  return Buffer.concat([decipher.update(sealed.subarray(NONCE, -TAG)), decipher.final()])
}
