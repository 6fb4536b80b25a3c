import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** The key under which one kind of secret is kept in the database. */
export interface SealingKey {
  readonly octets: Buffer
}

/** `purpose` names the kind of secret, so that what is sealed as one kind does not open as another. */
export function sealingKey(installationSecret: string, purpose: string): SealingKey {
  return { octets: Buffer.from(hkdfSync('sha256', installationSecret, '', `mailroom seal ${purpose}`, 32)) }
}

const VERSION = 1
const NONCE = 12
const TAG = 16

/**
 * Seals octets for the database with AES-256-GCM (NIST SP 800-38D): version, nonce, ciphertext, tag. `place` is bound
 * to them, usually the id of the row: sealed octets that are copied to another row do not open there.
 */
export function seal({ octets }: SealingKey, place: string, plain: string | Buffer): Buffer {
  const nonce = randomBytes(NONCE)
  const cipher = createCipheriv('aes-256-gcm', octets, nonce, { authTagLength: TAG }).setAAD(Buffer.from(place))
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

/**
 * What was sealed.
 * @throws Error where it was sealed under another key or for another place, or was altered
 */
export function unseal({ octets }: SealingKey, place: string, sealed: Buffer): Buffer {
  if (sealed[0] !== VERSION || sealed.length < 1 + NONCE + TAG) throw new Error('This was not sealed by Mailroom')
  const nonce = sealed.subarray(1, 1 + NONCE)
  const decipher = createDecipheriv('aes-256-gcm', octets, nonce, { authTagLength: TAG }).setAAD(Buffer.from(place))
  decipher.setAuthTag(sealed.subarray(-TAG))
  return Buffer.concat([decipher.update(sealed.subarray(1 + NONCE, -TAG)), decipher.final()])
}
