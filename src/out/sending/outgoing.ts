import { invalid } from '#/base/errors.ts'
import { type Address, canonicalAddress } from '#/formats/mime/address/address.ts'
import type { Caller } from '#/http/access/caller.ts'
import { assertSomeText, assertTogether, base64, contentId, mailbox, mediaType, messageIds } from './fields.ts'
import { extraHeaders, type HeaderField } from './headers.ts'
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
  /** Fields that the sender adds, as they are written. */
  readonly headers?: readonly HeaderField[]
}

export interface OutgoingAttachment {
  readonly filename: string
  readonly content: Buffer
  /** Null: the file name decides. */
  readonly contentType: string | null
  readonly contentId: string | null
}

/** Reads the sending body (docs/reference/sending.md), all of whose recipients the caller may write to. Does not check that
 *  `from` is a mailbox of the organization. @throws Refusal naming the field */
export function outgoing(caller: Caller, body: SendingBody): Outgoing {
  const goesTo = (field: 'to' | 'cc' | 'bcc') => recipients(caller, field, body[field])
  const [to, cc, bcc] = [goesTo('to'), goesTo('cc'), goesTo('bcc')]
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
    headers: extraHeaders(body.headers ?? {}, 'headers.'),
  }
}

/** All recipients, each once, in canonical form. */
export function recipientsOf({ to, cc, bcc }: Pick<Outgoing, 'to' | 'cc' | 'bcc'>): string[] {
  return [...new Set([...to, ...cc, ...bcc].map(({ address }) => canonicalAddress(address) ?? address))]
}

type Given = string | readonly string[] | undefined

export function addresses(field: string, given: Given): Address[] {
  return [given ?? []].flat().map((text, index) => mailbox(text, place(field, given, index)))
}

function recipients(caller: Caller, field: string, given: Given): Address[] {
  const named = addresses(field, given)
  for (const [index, { address }] of named.entries()) caller.assertWritesTo(address, place(field, given, index))
  return named
}

function place(field: string, given: Given, index: number): string {
  return typeof given === 'string' ? field : `${field}[${index}]`
}

const mostMessageIds = 100

export function ids(field: string, given: Given): string[] {
  const read = [given ?? []].flat().flatMap((text, index) => messageIds(text, place(field, given, index)))
  if (read.length > mostMessageIds) throw invalid(field, `${field} can name at most ${mostMessageIds} messages`)
  return read
}

type AttachmentBody = NonNullable<SendingBody['attachments']>[number]

export function attachments(given: readonly AttachmentBody[]): OutgoingAttachment[] {
  const read = given.map((one, index) => attachment(`attachments[${index}].`, one))
  assertTogether(given, 'attachments')
  return read
}

/** `place` comes before the names of its fields. */
export function attachment(
  place: string,
  { filename, content, content_type, content_id }: AttachmentBody,
): OutgoingAttachment {
  return {
    filename,
    content: base64(content, `${place}content`),
    contentType: content_type === undefined ? null : mediaType(content_type, `${place}content_type`),
    contentId: content_id === undefined ? null : contentId(content_id, `${place}content_id`),
  }
}
