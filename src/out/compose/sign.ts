import { hash, type KeyObject, sign } from 'node:crypto'
import { promisify } from 'node:util'
import { joined } from '#/base/event-loop/pieces.ts'
import type { OpenKey } from '#/domains/dkim/signing-keys.ts'
import { type Headers, readHeaders } from '#/formats/mime/header/headers.ts'
import { bodyHash, relaxedField } from './relaxed.ts'

/** Signs in libuv's threads: an RSA signature takes a millisecond. */
const signInThread = promisify(sign)

/** The message with its signatures in front. @throws Error as `signatures` does */
export async function signed(raw: Buffer, keys: readonly OpenKey[], at: Date, composed?: 'composed'): Promise<Buffer> {
  return await joined([Buffer.from(await signatures(raw, keys, at, composed), 'latin1'), raw])
}

/**
 * The DKIM-Signature fields (RFC 6376, RFC 8463) to stand before the message, one for each key; empty without keys, and
 * for a message with a longer header than anybody reads. Each of `signedFields` is named once more than it occurs, also if it
 * does not occur: a field added later breaks the signature (RFC 6376, section 8.15).
 *
 * docs/adr/dkim-signer.md says why this is not mailauth's signer.
 * @throws Error if a key cannot sign: without its signature the message would look forged
 */
export async function signatures(
  raw: Buffer,
  keys: readonly OpenKey[],
  at: Date,
  composed?: 'composed',
): Promise<string> {
  if (keys.length === 0) return ''
  const { headers, signedStart } = readHeaders(raw, 0, raw.length, Number.POSITIVE_INFINITY)
  if (!headers.complete) return ''
  const there = signedWhereThere(headers, composed)
  const fields = [...signedFields, ...there].flatMap((name) =>
    // Of fields with one name the last is signed first (section 5.4.2).
    headers.fields
      .filter((field) => field.name === name.toLowerCase())
      .map((field) => ({ ...field, name }))
      .reverse(),
  )
  const canonical = fields.map(({ name, valueStart, end }) =>
    relaxedField(name, raw.toString('latin1', valueStart, end)),
  )
  const names = [...signedFields, ...there].flatMap((name) => [
    ...fields.flatMap((field) => (field.name === name ? name : [])),
    ...(there.includes(name) ? [] : [name]),
  ])
  const inLines = names.reduce((text, name, at) => `${text}:${at % 5 === 0 ? '\r\n  ' : ''}${name}`)
  const bh = await bodyHash(raw.subarray(signedStart))
  const made = keys.map(async ({ domain, selector, algorithm, privateKey }) => {
    const value = [
      ...['v=1', `a=${algorithm}-sha256`, 'c=relaxed/relaxed', `d=${domain}`, `s=${selector}`],
      ...[`t=${Math.floor(at.getTime() / 1_000)}`, `bh=${bh}`, `h=${inLines}`, 'b='],
    ].join(';\r\n ')
    const text = Buffer.from(`${canonical.join('')}${relaxedField('DKIM-Signature', value).trimEnd()}`, 'latin1')
    const signature = await signatureOf(text, algorithm, privateKey)
    return `DKIM-Signature: ${value}${folded(signature.toString('base64'))}\r\n`
  })
  return (await Promise.all(made)).join('')
}

/** The selectors of the keys that have signed a message made by `signed`, and where the message begins behind their fields. */
export function signaturesOf(raw: Buffer): { readonly selectors: string[]; readonly end: number } {
  const header = raw.toString('latin1', 0, raw.indexOf('\r\n\r\n') + 2)
  const field = /DKIM-Signature:.*\r\n(?:[ \t].*\r\n)*/y
  const selectors: string[] = []
  let end = 0
  for (let found = field.exec(header); found; found = field.exec(header)) {
    selectors.push(/ s=([^;]+)/.exec(found[0])?.[1] ?? '')
    end = field.lastIndex
  }
  return { selectors, end }
}

/** RFC 8463, section 3: what Ed25519 signs is the hash. */
async function signatureOf(text: Buffer, algorithm: OpenKey['algorithm'], key: KeyObject): Promise<Buffer> {
  try {
    if (algorithm === 'rsa') return await signInThread('sha256', text, key)
    return await signInThread(null, hash('sha256', text, 'buffer'), key)
  } catch (err) {
    throw new Error(`DKIM signing failed: ${err instanceof Error ? err.message : err}`, { cause: err })
  }
}

/** White space has no meaning there (RFC 6376, section 3.5). */
function folded(base64: string): string {
  let text = base64.slice(0, 72)
  for (let at = 72; at < base64.length; at += 72) text += `\r\n  ${base64.slice(at, at + 72)}`
  return text
}

/** Fields that a reader sees or acts on (section 5.4.1). */
const signedFields = [
  ...['From', 'To', 'Cc', 'Subject', 'Date', 'Message-ID', 'Reply-To', 'In-Reply-To', 'References'],
  ...['MIME-Version', 'Content-Type', 'Content-Transfer-Encoding', 'Auto-Submitted'],
]

const alsoSigned = ['List-Unsubscribe', 'List-Unsubscribe-Post', 'Precedence', 'Importance']

/** Fields that a mailing list may add are signed if present, and may be added (RFC 8058, section 4). Fields `X-…` are signed
 *  if a sender gave them to us; servers may remove those of mail programs. */
function signedWhereThere({ fields }: Headers, composed?: 'composed'): string[] {
  const names = new Set(fields.map(({ name }) => name))
  const own = composed ? Array.from(names).filter((name) => name.startsWith('x-')) : []
  return [...alsoSigned.filter((name) => names.has(name.toLowerCase())), ...own]
}
