import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { randomGroups } from '#/base/secrets/password.ts'

/** Time-based codes (RFC 6238), with the parameters that all applications support: SHA-1, six digits, 30 seconds. */
const digits = 6
const stepMs = 30_000

/** The length of a SHA-1 (RFC 4226, section 4). */
export function newSecret(): Buffer {
  return randomBytes(20)
}

/** The code of a secret for one time step (RFC 4226, section 5.3). */
export function codeOf(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const offset = mac.readUInt8(mac.length - 1) & 0xf
  const number = (mac.readUInt32BE(offset) & 0x7fff_ffff) % 10 ** digits
  return number.toString().padStart(digits, '0')
}

export function stepAt(now: number): number {
  return Math.floor(now / stepMs)
}

/** The time step of this code: the current one, or one beside it, for a wrong clock or a slow person (RFC 6238, section
 *  5.2). */
export function stepOfCode(secret: Buffer, code: string, now: number): number | undefined {
  const here = stepAt(now)
  return [here, here - 1, here + 1].find((step) =>
    timingSafeEqual(Buffer.from(codeOf(secret, step)), Buffer.from(code)),
  )
}

/** The typed text without separators. */
export function plainCode(given: string): string {
  return given.replace(/[\s-]/g, '').toLowerCase()
}

export function isTimedCode(code: string): boolean {
  return /^[0-9]{6}$/.test(code)
}

const base32Alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** RFC 4648, section 6, for whole groups of five octets. */
export function base32(octets: Buffer): string {
  const bits = Array.from(octets, (octet) => octet.toString(2).padStart(8, '0')).join('')
  return bits.replace(/.{5}/g, (five) => base32Alphabet[Number.parseInt(five, 2)] ?? '')
}

/** The URI that applications read from a QR code. */
export function otpauthUri(secret: Buffer, { email, issuer }: { email: string; issuer: string }): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(email)}`
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=${encodeURIComponent(issuer)}&algorithm=SHA1&digits=6&period=30`
}

const recoveryCodes = 10

/** Codes of 16 characters, 79 bits. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: recoveryCodes }, () => randomGroups(4))
}

/** The stored form of a plain recovery code. */
export function hashRecoveryCode(code: string): Buffer {
  return hash('sha256', code, 'buffer')
}
