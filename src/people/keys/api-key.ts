import { hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

/**
 * An API key: `mrk_`, 32 random base62 characters, and 6 that are the CRC-32 of all before them, so that a mistyped
 * key is refused without a lookup and secret scanners recognize keys (docs/reference/keys.md).
 */
const form = /^mrk_[0-9A-Za-z]{38}$/
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

export function generateKey(): string {
  let key = 'mrk_'
  for (let count = 0; count < 32; count++) key += alphabet.charAt(randomInt(62))
  return key + checksum(key)
}

/** Whether the text has the form of a key. */
export function isWellFormedKey(text: string): boolean {
  return form.test(text) && checksum(text.slice(0, -6)) === text.slice(-6)
}

/** SHA-256, for storing and looking up. A key has 190 random bits, so it needs no slow hash. */
export function hashKey(key: string): Buffer {
  return hash('sha256', key, 'buffer')
}

function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let count = 0; count < 6; count++) {
    digits = alphabet.charAt(rest % 62) + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}
