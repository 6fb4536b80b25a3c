import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto'
import { DerivedKeys, type Keyring, markLength } from './keyring.ts'
import type { SealedPurpose } from './sealed-columns.ts'

/** The keys under which one kind of secret is kept in the database. */
export interface SealingKey {
  readonly keys: DerivedKeys
}

/** `purpose` names the kind of secret, so that what is sealed as one kind does not open as another; where such values lie
 *  is in `sealedColumns`. */
export function sealingKey(keyring: Keyring, purpose: SealedPurpose): SealingKey {
  return { keys: new DerivedKeys(keyring, `mailroom seal ${purpose}`) }
}

const UNMARKED = 1
const VERSION = 2
const NONCE = 12
const TAG = 16

/**
 * Seals octets for the database with AES-256-GCM (NIST SP 800-38D): version, mark of the secret in force, nonce, ciphertext,
 * tag. `place` is bound to them, usually the id of the row: sealed octets that are copied to another row do not open there.
 */
export function seal({ keys }: SealingKey, place: string, plain: string | Buffer): Buffer {
  const nonce = randomBytes(NONCE)
  const { inForce } = keys.secrets
  const cipher = createCipheriv('aes-256-gcm', keys.of(inForce), nonce, { authTagLength: TAG })
  cipher.setAAD(Buffer.from(place))
  return Buffer.concat([markOf(inForce), nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

/** What everything sealed under this secret begins with. */
export function markOf({ fingerprint }: { readonly fingerprint: Buffer }): Buffer {
  return Buffer.concat([Buffer.of(VERSION), fingerprint.subarray(0, markLength)])
}

/**
 * What was sealed.
 * @throws Error where it was sealed under a secret that this process does not know or for another place, or was altered
 */
export function unseal({ keys }: SealingKey, place: string, sealed: Buffer): Buffer {
  if (sealed[0] === UNMARKED) return unsealUnmarked(keys, place, sealed)
  if (sealed[0] !== VERSION || sealed.length < 1 + markLength + NONCE + TAG)
    throw new Error('This was not sealed by Mailroom')
  const mark = sealed.subarray(1, 1 + markLength)
  const secret = keys.secrets.known.find(({ fingerprint }) => mark.equals(fingerprint.subarray(0, markLength)))
  if (!secret) throw new Error('This was sealed under a secret that this process does not know')
  return opened(keys.of(secret), place, sealed.subarray(1 + markLength))
}

/** Sealed before secrets could be changed, so under the first that this installation had, whichever that is. */
function unsealUnmarked(keys: DerivedKeys, place: string, sealed: Buffer): Buffer {
  if (sealed.length < 1 + NONCE + TAG) throw new Error('This was not sealed by Mailroom')
  let failure: unknown
  for (const key of keys.all) {
    try {
      return opened(key, place, sealed.subarray(1))
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

/** Nonce, ciphertext and tag, opened. */
function opened(key: KeyObject, place: string, sealed: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE), { authTagLength: TAG })
  decipher.setAAD(Buffer.from(place)).setAuthTag(sealed.subarray(-TAG))
  return Buffer.concat([decipher.update(sealed.subarray(NONCE, -TAG)), decipher.final()])
}
