import { Readable } from 'node:stream'
import { dkimSign } from 'mailauth/lib/dkim/sign.js'
import { inTurns, joined } from '#/bytes.ts'

/** A DKIM key of the author's domain that is published, or about to be. */
export interface SigningKey {
  readonly domain: string
  readonly selector: string
  readonly algorithm: 'rsa' | 'ed25519'
  /** PKCS #8, PEM. */
  readonly privateKey: string
}

/** The message behind its signatures. @throws Error as `signatures` does */
export async function signed(raw: Buffer, keys: readonly SigningKey[], at: Date): Promise<Buffer> {
  return await joined([Buffer.from(await signatures(raw, keys, at)), raw])
}

/**
 * The DKIM-Signature fields (RFC 6376, RFC 8463) to stand before the message, one for each key; empty without keys.
 * @throws Error where a key cannot sign: what leaves without its signature would be taken for forged
 */
export async function signatures(raw: Buffer, keys: readonly SigningKey[], at: Date): Promise<string> {
  const [first, ...others] = keys.map(({ domain, selector, algorithm, privateKey }) => ({
    signingDomain: domain,
    selector,
    privateKey,
    algorithm: `${algorithm}-sha256`,
  }))
  if (!first) return ''
  const { signatures, errors } = await dkimSign(Readable.from(inTurns(raw, hashedInOneTurn)), {
    ...first,
    canonicalization: 'relaxed/relaxed',
    signTime: at,
    headerList: [...signedFields],
    signatureData: [first, ...others],
  })
  if (errors.length > 0) throw new Error(`DKIM signing failed: ${errors[0]?.err.message}`, { cause: errors[0]?.err })
  return signatures
}

/** What a reader sees or acts on (RFC 6376, section 5.4.1). */
const signedFields = [
  ...['From', 'To', 'Cc', 'Subject', 'Date', 'Message-ID', 'Reply-To', 'In-Reply-To', 'References'],
  ...['MIME-Version', 'Content-Type', 'Content-Transfer-Encoding', 'Auto-Submitted'],
]

/** In octets: to hash 11 MiB takes 0.1 s. */
const hashedInOneTurn = 128 * 1024
