import { canonicalDomain, splitAddress } from '#/formats/mime/address/address.ts'

const unquoted = /^[^\x00-\x20\x7f-\x9f<>()[\]\\,;:"@]+$/
const quoted = /^"(?:[^\x00-\x1f\x7f-\x9f"\\]|\\[\x20-\x7e])*"$/

/**
 * The address as a path in a command (RFC 5321, section 4.1.2). Its domain is in ASCII form, so only a local part needs
 * SMTPUTF8. It is less strict than for our own users, since a forwarded message has any sender; it refuses what could
 * break out of the command. Undefined if it is no address.
 */
export function path(address: string): { text: string; domain: string; ascii: boolean } | undefined {
  const { local, domain: given } = splitAddress(address) ?? { local: '', domain: '' }
  const domain = canonicalDomain(given)
  if (domain === undefined || !address.isWellFormed() || Buffer.byteLength(local) > 256) return undefined
  if (!unquoted.test(local) && !quoted.test(local)) return undefined
  return { text: `${local}@${domain}`, domain, ascii: /^[\x00-\x7f]*$/.test(local) }
}
