import type { Address } from '#/mime/address/address.ts'
import type { Outgoing } from '#/sending/outgoing.ts'
import { compose, type Identity } from './compose.ts'
import { encodedWords } from './extra-fields.ts'

/** Composes an unfinished message in the form that other mail programs store: Bcc stays in the header, and an address may be
 *  a name alone. Texts end with a line break, whether or not the draft's own do; readers remove one. */
export async function composeDraft(draft: Outgoing, identity: Identity): Promise<Buffer> {
  const { to, cc, bcc, replyTo } = draft
  const fields = { To: to, Cc: cc, Bcc: bcc, 'Reply-To': replyTo }
  const written = Object.entries(fields).map(([name, addresses]) => addressField(name, addresses))
  const texts = { text: lines(draft.text), html: lines(draft.html) }
  const rest = await compose({ ...draft, ...texts, to: [], cc: [], bcc: [], replyTo: [] }, identity)
  return Buffer.concat([Buffer.from(written.join('')), rest])
}

function lines(text: string | null): string | null {
  return text === null ? null : `${text}\n`
}

function addressField(name: string, addresses: readonly Address[]): string {
  return addresses.length === 0 ? '' : `${name}: ${addresses.map(mailbox).join(',\r\n ')}\r\n`
}

function mailbox({ name, address }: Address): string {
  if (address === '') return phrase(name)
  return name === '' ? address : `${phrase(name)}\r\n <${address}>`
}

/** A quoted name has at most so many characters, so that no line is too long (RFC 5322, section 2.1.1). */
const longestQuoted = 300

function phrase(name: string): string {
  if (name.length <= longestQuoted && /^[\x20-\x7e]*$/.test(name)) return `"${name.replace(/["\\]/g, '\\$&')}"`
  return encodedWords(name)
}
