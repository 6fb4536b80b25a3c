import type { Reading } from './read-text.ts'
import { tagList } from './tag-list.ts'

/** A key record that receivers treat as the wanted one (RFC 6376, section 3.6.1, RFC 8463): the same kind of key with the same
 *  octets, in any folding and with any other tags. */
export function readDkim(wanted: string): Reading {
  const ours = tagList(wanted)
  const key = ours?.get('p') ?? ''
  const kind = ours?.get('k') ?? 'rsa'
  return {
    plural: 'DKIM keys',
    single: true,
    inherited: false,
    isMeant: (text) => /^\s*v\s*=\s*DKIM/i.test(text) || /(^|;)\s*p\s*=/.test(text),
    fault: (text) => {
      const tags = tagList(text)
      if (!tags) return keyFault(/p\s*=([^;]*)/.exec(text)?.[1] ?? '', key) ?? 'The record is not a list of tags.'
      if (tags.has('v') && !/^v\s*=\s*DKIM1\s*(;|$)/.test(text.trimStart()))
        return 'The record must start with exactly v=DKIM1.'
      if ((tags.get('k') ?? 'rsa') !== kind) return `The kind of key is not ${kind}: publish the value as shown.`
      return keyFault(tags.get('p') ?? '', key) ?? useFault(tags)
    },
    advice: (text) =>
      /(^|:)\s*y\s*(:|$)/.test(tagList(text)?.get('t') ?? '')
        ? 't=y tells receivers to treat signatures as a test: leave it out.'
        : undefined,
  }
}

function keyFault(given: string, wanted: string): string | undefined {
  const found = given.replace(/\s/g, '')
  if (found === '') return 'The record has an empty key, so the key counts as revoked: publish the value as shown.'
  if (sameOctets(found, wanted)) return undefined
  if (wanted.startsWith(found))
    return (
      `The key is cut off after ${found.length} of ${wanted.length} characters. A string in a TXT record holds 255 ` +
      'octets at most: enter the value in one piece where the DNS provider splits it, else as several strings.'
    )
  if (found.toLowerCase() === wanted.toLowerCase())
    return 'Upper and lower case of the key were changed: enter it exactly as shown.'
  if (!/^[a-z0-9+/]+={0,2}$/i.test(found)) return 'The key has characters that no key can have: enter it as shown.'
  return 'This name has another key, perhaps of an earlier enrolment: publish the one shown.'
}

function sameOctets(found: string, wanted: string): boolean {
  if (!/^[a-z0-9+/]+={0,2}$/i.test(found)) return false
  return Buffer.from(found, 'base64').equals(Buffer.from(wanted, 'base64'))
}

/** Tags that restrict a key to another use. */
function useFault(tags: ReadonlyMap<string, string>): string | undefined {
  const list = (name: string) =>
    tags
      .get(name)
      ?.split(':')
      .map((word) => word.trim())
  const [hashes, services] = [list('h'), list('s')]
  if (hashes && !hashes.includes('sha256')) return 'h= does not allow sha256, with which mail is signed: leave h= out.'
  if (services && !services.some((word) => word === '*' || word === 'email'))
    return 's= says that the key is not for e-mail: leave s= out.'
  return undefined
}
