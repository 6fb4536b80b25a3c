import { invalid } from '#/errors.ts'
import { type Address, canonicalAddress, parseMailbox } from '#/mime/address.ts'
import type { SendingBody } from './wire.ts'

/** A message that a caller wants sent, checked: every part of it may go where it is meant to go. */
export interface Outgoing {
  readonly from: Address
  readonly to: readonly Address[]
  readonly cc: readonly Address[]
  readonly bcc: readonly Address[]
  readonly replyTo: readonly Address[]
  readonly subject: string
  /** Of text and html at least one is there. */
  readonly text: string | null
  readonly html: string | null
  /** `<…>`, each. */
  readonly inReplyTo: readonly string[]
  readonly references: readonly string[]
  readonly attachments: readonly OutgoingAttachment[]
}

export interface OutgoingAttachment {
  readonly filename: string
  readonly content: Buffer
  /** Null: told by the file name. */
  readonly contentType: string | null
  readonly contentId: string | null
}

/** What attachments may hold in all, decoded (document, section 8). */
export const mostAttachmentOctets = 8 * 1024 * 1024

/** Reads the sending body (decisions, Sending and scheduling). Whether `from` is a mailbox of the organization is for
 *  the database to say. @throws Refusal naming the field */
export function outgoing(body: SendingBody): Outgoing {
  const [to, cc, bcc] = [addresses('to', body.to), addresses('cc', body.cc), addresses('bcc', body.bcc)]
  if (to.length === 0) throw invalid('to', 'to must name at least one recipient, also where cc or bcc do')
  const { text = null, html = null } = body
  if (text === null && html === null) throw invalid('text', 'At least one of text and html is needed')
  return {
    from: address('from', body.from),
    to,
    cc,
    bcc,
    replyTo: addresses('reply_to', body.reply_to),
    subject: body.subject ?? '',
    text,
    html,
    inReplyTo: messageIds('in_reply_to', body.in_reply_to),
    references: messageIds('references', body.references),
    attachments: attachments(body.attachments ?? []),
  }
}

/** Everyone the message goes to, each once, in canonical form. */
export function recipientsOf({ to, cc, bcc }: Pick<Outgoing, 'to' | 'cc' | 'bcc'>): string[] {
  return [...new Set([...to, ...cc, ...bcc].map(({ address }) => canonicalAddress(address) ?? address))]
}

function addresses(field: string, given: string | readonly string[] | undefined): Address[] {
  if (given === undefined) return []
  if (typeof given === 'string') return [address(field, given)]
  return given.map((text, index) => address(`${field}[${index}]`, text))
}

function address(field: string, text: string): Address {
  const parsed = parseMailbox(text)
  if (!parsed) throw invalid(field, `${field} must be an address: ann@example.com or Ann <ann@example.com>`)
  return parsed
}

const mostMessageIds = 100

/** Message-IDs, with or without their angle brackets, several in one string too (RFC 5322, section 3.6.4). */
function messageIds(field: string, given: string | readonly string[] | undefined): string[] {
  const texts = given === undefined ? [] : [given].flat()
  const ids = texts.flatMap((text, index) => {
    const name = typeof given === 'string' ? field : `${field}[${index}]`
    return text
      .trim()
      .split(/\s+/)
      .map((one) => messageId(name, one))
  })
  if (ids.length > mostMessageIds) throw invalid(field, `${field} can name at most ${mostMessageIds} messages`)
  return ids
}

/** With an @ (RFC 5322, section 3.6.4), else a sentence would do. Printable ASCII only, and short enough for a line of a header with room for what stands before it. */
function messageId(field: string, text: string): string {
  const bare = text.startsWith('<') && text.endsWith('>') ? text.slice(1, -1) : text
  if (/^[!-;=?-~]+@[!-;=?-~]+$/.test(bare) && bare.length <= 900) return `<${bare}>`
  throw invalid(field, `${field} must be a Message-ID, such as <20261121.1@example.com>`)
}

type WireAttachment = NonNullable<SendingBody['attachments']>[number]

function attachments(given: readonly WireAttachment[]): OutgoingAttachment[] {
  const read = given.map((one, index) => attachment(`attachments[${index}]`, one))
  const octets = read.reduce((sum, { content }) => sum + content.length, 0)
  if (octets > mostAttachmentOctets) {
    throw invalid('attachments', 'Attachments can be at most 8 MB (8,388,608 bytes) in all')
  }
  const ids = read.flatMap(({ contentId }) => contentId ?? [])
  const twice = ids.findIndex((id, index) => ids.indexOf(id) !== index)
  if (twice >= 0) throw invalid('attachments', `Two attachments have the content_id ${JSON.stringify(ids[twice])}`)
  return read
}

const mediaType = /^(?:application|audio|font|image|message|model|text|video)\/[A-Za-z0-9!#$&^_.+-]{1,127}$/i

function attachment(field: string, { filename, content, content_type, content_id }: WireAttachment) {
  if (content_type !== undefined && !mediaType.test(content_type)) {
    throw invalid(`${field}.content_type`, `${field}.content_type must be a media type, such as application/pdf`)
  }
  if (content_id !== undefined && !/^[!-;=?-~]+$/.test(content_id)) {
    throw invalid(`${field}.content_id`, `${field}.content_id must be printable ASCII without spaces, < and >`)
  }
  return {
    filename,
    content: base64(`${field}.content`, content),
    contentType: content_type?.toLowerCase() ?? null,
    contentId: content_id ?? null,
  }
}

/** Node decodes anything; what does not encode to itself again was no base64 of the standard alphabet (RFC 4648 4). */
function base64(field: string, text: string): Buffer {
  const content = Buffer.from(text, 'base64')
  if (content.toString('base64') === text) return content
  throw invalid(field, `${field} must be base64: the standard alphabet with padding, and no line breaks`)
}
