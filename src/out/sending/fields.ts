import { invalid } from '#/base/errors.ts'
import { type Address, parseMailbox } from '#/formats/mime/address/address.ts'

/** Rules for the fields of the sending body, beyond their types. Each throws a `Refusal` that names the field. */

/** One address, with or without a display name. */
export function mailbox(text: string, field: string): Address {
  const parsed = parseMailbox(text)
  if (parsed) return parsed
  const several = text.split(/[,;]/).filter((one) => one.trim() !== '')
  if (several.length > 1 && several.every((one) => parseMailbox(one) !== undefined)) {
    throw invalid(field, `${field} holds several addresses in one string: ${insteadOf(field)}`)
  }
  throw invalid(field, `${field} must be an address: ann@example.com or Ann <ann@example.com>`)
}

function insteadOf(field: string): string {
  if (field === 'from') return 'it takes one'
  return `give each a string of its own, as in ["ann@example.com", "bob@example.com"]`
}

/** Message-IDs, with or without their angle brackets, several in one string too (RFC 5322, section 3.6.4). */
export function messageIds(text: string, field: string): string[] {
  return text
    .trim()
    .split(/\s+/)
    .map((one) => messageId(one, field))
}

/** With an @ (RFC 5322, section 3.6.4): otherwise the words of a sentence would pass. Printable ASCII, and short enough for
 *  one header line with its field name. */
function messageId(text: string, field: string): string {
  const bare = text.startsWith('<') && text.endsWith('>') ? text.slice(1, -1) : text
  if (/^[!-;=?-~]+@[!-;=?-~]+$/.test(bare) && bare.length <= 900) return `<${bare}>`
  throw invalid(field, `${field} must be a Message-ID, such as <20261121.1@example.com>`)
}

const type = /^(?:application|audio|font|image|message|model|text|video)\/[A-Za-z0-9!#$&^_.+-]{1,127}$/i

export function mediaType(text: string, field: string): string {
  if (type.test(text)) return text.toLowerCase()
  throw invalid(field, `${field} must be a media type, such as application/pdf`)
}

export function contentId(text: string, field: string): string {
  if (/^[!-;=?-~]+$/.test(text)) return text
  throw invalid(field, `${field} must be printable ASCII without spaces, < and >`)
}

/** Node decodes anything. Text that does not encode to itself again is not base64 of the standard alphabet (RFC 4648, section
 *  4). */
export function base64(text: string, field: string): Buffer {
  const content = Buffer.from(text, 'base64')
  if (content.toString('base64') === text) return content
  const [uri] = /^\s*data:[^,]{0,255},/i.exec(text) ?? []
  if (uri !== undefined) {
    const base64Alone = /;base64,$/i.test(uri) ? `leave out ${JSON.stringify(uri)}` : 'encode it as base64'
    throw invalid(field, `${field} must be base64 alone, and not a data URI: ${base64Alone}`)
  }
  throw invalid(field, `${field} must be base64: the standard alphabet with padding, and no line breaks`)
}

export function assertSomeText({ text, html }: { readonly text?: string; readonly html?: string }): void {
  if (text === undefined && html === undefined) throw invalid('text', 'At least one of text and html is needed')
}

/** Limits for all attachments together. Their size is that of what they decode to. */
const mostAttachmentOctets = 8 * 1024 * 1024
export const mostAttachments = 10

interface Attached {
  readonly content: string
  readonly content_id?: string
}

/** Checks all attachments together: their size, and that no two have one Content-ID. */
export function assertTogether(given: readonly Attached[], field: string): void {
  assertFit(
    given.map(({ content, content_id = null }) => ({ octets: Buffer.byteLength(content, 'base64'), id: content_id })),
    field,
  )
}

/** The same of attachments that are decoded, and that they are not too many. */
export function assertAttachmentsFit(
  attachments: readonly { readonly content: Buffer; readonly contentId: string | null }[],
  field: string,
): void {
  if (attachments.length > mostAttachments)
    throw invalid(field, `A message can have at most ${mostAttachments} attachments`)
  assertFit(
    attachments.map(({ content, contentId }) => ({ octets: content.length, id: contentId })),
    field,
  )
}

function assertFit(attached: readonly { readonly octets: number; readonly id: string | null }[], field: string): void {
  if (attached.reduce((sum, { octets }) => sum + octets, 0) > mostAttachmentOctets) {
    throw invalid(field, 'Attachments can be at most 8 MB (8,388,608 bytes) in all')
  }
  const ids = attached.flatMap(({ id }) => id ?? [])
  const twice = ids.findIndex((id, index) => ids.indexOf(id) !== index)
  if (twice >= 0) throw invalid(field, `Two attachments have the content_id ${JSON.stringify(ids[twice])}`)
}
