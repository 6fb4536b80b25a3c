import { canonicalDomain, splitAddress } from '#/mime/address.ts'

/** What no path may hold outside quotes. */
const unquoted = /^[^\x00-\x20\x7f-\x9f<>()[\]\\,;:"@]+$/
const quoted = /^"(?:[^\x00-\x1f\x7f-\x9f"\\]|\\[\x20-\x7e])*"$/

/**
 * The address as a path on the wire (RFC 5321 4.1.2), its domain in ASCII form, so that it needs SMTPUTF8 only for its
 * local part. More is let through than we take from our own users, since a forwarded message's sender is as it is; what
 * could break out of its command is not. Undefined where it is no address.
 */
export function path(address: string): { text: string; domain: string; ascii: boolean } | undefined {
  const { local, domain: given } = splitAddress(address) ?? { local: '', domain: '' }
  const domain = canonicalDomain(given)
  if (domain === undefined || !address.isWellFormed() || Buffer.byteLength(local) > 256) return undefined
  if (!unquoted.test(local) && !quoted.test(local)) return undefined
  return { text: `${local}@${domain}`, domain, ascii: /^[\x00-\x7f]*$/.test(local) }
}
