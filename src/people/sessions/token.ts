import { hash, randomBytes } from 'node:crypto'

/** The token of a session or of a sign-in link: 256 random bits in base64url. */
const form = /^[\w-]{43}$/

export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Whether the text has the form of a token. */
export function isToken(text: string): boolean {
  return form.test(text)
}

/** SHA-256, for storing and looking up. Random tokens need no slow hash. */
export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}
