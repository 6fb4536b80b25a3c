import type { Address } from '#/mime/address/address.ts'
import type { Outgoing } from '#/sending/outgoing.ts'
import { compose, type Identity } from './compose.ts'
import { encodedWords } from './extra-fields.ts'

/** Composes what is not finished yet, as other mail programs keep it: Bcc stays in the header, and an address may be a name alone.
 *  Texts end with a line break, as lines of a message do, whether or not the draft's own do: whoever reads it takes one off. */
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

/** So many characters of a name may be quoted, so that no line is too long (RFC 5322, section 2.1.1). */
const longestQuoted = 300

function phrase(name: string): string {
  if (name.length <= longestQuoted && /^[\x20-\x7e]*$/.test(name)) return `"${name.replace(/["\\]/g, '\\$&')}"`
  return encodedWords(name)
}
