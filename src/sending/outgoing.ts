import { invalid } from '#/errors.ts'
import { type Address, canonicalAddress } from '#/mime/address.ts'
import { assertSomeText, assertTogether, base64, contentId, mailbox, mediaType, messageIds } from './fields.ts'
import type { SendingBody } from './schemas.ts'

/** A valid request to send a message. */
export interface Outgoing {
  readonly from: Address
  readonly to: readonly Address[]
  readonly cc: readonly Address[]
  readonly bcc: readonly Address[]
  readonly replyTo: readonly Address[]
  readonly subject: string
  /** Text, html or both are present. */
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
  /** Null: the file name decides. */
  readonly contentType: string | null
  readonly contentId: string | null
}

/** Reads the sending body (docs/reference/sending.md). Does not check that `from` is a mailbox of the organization.
 *  @throws Refusal naming the field */
export function outgoing(body: SendingBody): Outgoing {
  const [to, cc, bcc] = [addresses('to', body.to), addresses('cc', body.cc), addresses('bcc', body.bcc)]
  if (to.length === 0) throw invalid('to', 'to must name at least one recipient, also where cc or bcc do')
  assertSomeText(body)
  const { text = null, html = null } = body
  return {
    from: mailbox(body.from, 'from'),
    to,
    cc,
    bcc,
    replyTo: addresses('reply_to', body.reply_to),
    subject: body.subject ?? '',
    text,
    html,
    inReplyTo: ids('in_reply_to', body.in_reply_to),
    references: ids('references', body.references),
    attachments: attachments(body.attachments ?? []),
  }
}

/** All recipients, each once, in canonical form. */
export function recipientsOf({ to, cc, bcc }: Pick<Outgoing, 'to' | 'cc' | 'bcc'>): string[] {
  return [...new Set([...to, ...cc, ...bcc].map(({ address }) => canonicalAddress(address) ?? address))]
}

function addresses(field: string, given: string | readonly string[] | undefined): Address[] {
  if (given === undefined) return []
  if (typeof given === 'string') return [mailbox(given, field)]
  return given.map((text, index) => mailbox(text, `${field}[${index}]`))
}

const mostMessageIds = 100

function ids(field: string, given: string | readonly string[] | undefined): string[] {
  const texts = given === undefined ? [] : [given].flat()
  const read = texts.flatMap((text, index) =>
    messageIds(text, typeof given === 'string' ? field : `${field}[${index}]`),
  )
  if (read.length > mostMessageIds) throw invalid(field, `${field} can name at most ${mostMessageIds} messages`)
  return read
}

type AttachmentBody = NonNullable<SendingBody['attachments']>[number]

function attachments(given: readonly AttachmentBody[]): OutgoingAttachment[] {
  const read = given.map((one, index) => attachment(`attachments[${index}]`, one))
  assertTogether(given, 'attachments')
  return read
}

function attachment(field: string, { filename, content, content_type, content_id }: AttachmentBody) {
  return {
    filename,
    content: base64(content, `${field}.content`),
    contentType: content_type === undefined ? null : mediaType(content_type, `${field}.content_type`),
    contentId: content_id === undefined ? null : contentId(content_id, `${field}.content_id`),
  }
}
