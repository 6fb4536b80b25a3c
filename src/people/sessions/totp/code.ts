import { hash } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { randomGroups } from '#/base/secrets/password.ts'

/** The parameters that all applications support; the secret is as long as a SHA-1 (RFC 4226, section 4). */
const parameters = { algorithm: 'SHA1', digits: 6, period: 30 }

export function newSecret(): Buffer {
  return Buffer.from(new Secret({ size: 20 }).bytes)
}

/** Time-based codes (RFC 6238). An application shows issuer and label. */
export function timedCodes(secret: Buffer, shown: { readonly issuer?: string; readonly label?: string } = {}): TOTP {
  return new TOTP({ secret: new Secret({ buffer: Uint8Array.from(secret).buffer }), ...parameters, ...shown })
}

export function stepAt(now: number): number {
  return TOTP.counter({ period: parameters.period, timestamp: now })
}

/** The time step of this code: the current one, or one beside it, for a wrong clock or a slow person (RFC 6238, section
 *  5.2). */
export function stepOfCode(secret: Buffer, code: string, now: number): number | undefined {
  const delta = timedCodes(secret).validate({ token: code, timestamp: now, window: 1 })
  return delta === null ? undefined : stepAt(now) + delta
}

/** The typed text without separators. */
export function plainCode(given: string): string {
  return given.replace(/[\s-]/g, '').toLowerCase()
}

export function isTimedCode(code: string): boolean {
  return /^[0-9]{6}$/.test(code)
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
