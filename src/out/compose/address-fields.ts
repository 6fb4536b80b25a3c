import type { Address } from '#/formats/mime/address/address.ts'
import { encodedWords } from './extra-fields.ts'

/** Header fields of addresses, by name, an address a line (RFC 5322, section 3.4). A field without addresses is left out; an
 *  address may be a name alone. No line is longer than SMTP allows. */
export function addressFields(fields: Readonly<Record<string, readonly Address[]>>): string {
  return Object.entries(fields)
    .filter(([, addresses]) => addresses.length > 0)
    .map(([name, addresses]) => `${name}: ${addresses.map(mailbox).join(',\r\n ')}\r\n`)
    .join('')
}

const longestLine = 76

function mailbox({ name, address }: Address): string {
  if (address === '') return phrase(name)
  if (name === '') return address
  const shown = phrase(name)
  const fits = shown.length + address.length < longestLine - 'Reply-To:  <>'.length
  return `${shown}${fits ? ' ' : '\r\n '}<${address}>`
}

/** A quoted name has at most so many characters, so that no line is too long (RFC 5322, section 2.1.1). */
const longestQuoted = 300

function phrase(name: string): string {
  const isPlain = /^[\x20-\x7e]*$/.test(name) && !name.includes('=?')
  if (!isPlain || name.length > longestQuoted) return encodedWords(name)
  return /^\w+( \w+)*$/.test(name) ? name : `"${name.replace(/["\\]/g, '\\$&')}"`
}
