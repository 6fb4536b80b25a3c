import { hash, randomBytes } from 'node:crypto'

/** The token of a session or of a sign-in link: 256 random bits in base64url. */
const form = /^[\w-]{43}$/

export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Whether the text can be a token at all. */
export function isToken(text: string): boolean {
  return form.test(text)
}

/** SHA-256: what is stored and looked up. No slow hash is needed for that much chance. */
export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}
