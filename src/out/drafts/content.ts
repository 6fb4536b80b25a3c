import type { Address } from '#/formats/mime/address/address.ts'
import { parseAddresses } from '#/formats/mime/address/address-list.ts'
import { addressText, typedAddress } from '#/formats/mime/address/address-text.ts'
import { forwardedField } from '#/formats/mime/header/forwarded-field.ts'
import { sendableIds } from '#/formats/mime/header/references.ts'
import type { Message } from '#/formats/mime/message.ts'
import { type MessageReader, type OpenedContent, openedText } from '#/formats/mime/reader.ts'
import { attachmentsOf } from '#/out/sending/attached.ts'
import { extraHeaders, extraHeadersOf, givenHeaders } from '#/out/sending/headers.ts'
import { attachments, ids, type Outgoing } from '#/out/sending/outgoing.ts'
import type { DraftFields } from './schemas.ts'

/** The content of a draft, a message that may be unfinished. An incomplete address is a name without an address. */
export type DraftContent = Outgoing

/** An empty draft. */
export function emptyDraft(from: Address): DraftContent {
  const nobody = { to: [], cc: [], bcc: [], replyTo: [] }
  return { from, ...nobody, subject: '', text: '', html: null, inReplyTo: [], references: [], attachments: [] }
}

/** Reads a draft, with its attachments. `isOurs`: Mailroom stored it. */
export async function readDraft(reader: MessageReader, raw: Buffer, isOurs: boolean): Promise<DraftContent> {
  const message = await reader.message(raw)
  const content = await reader.content(raw)
  return { ...headerOf(message, isOurs), ...textsOf(content), attachments: await attachmentsOf(reader, raw, content) }
}

/** The fields in the header of a draft. */
export function headerOf(
  { headers, from, to, cc, replyTo, subject }: Message,
  isOurs: boolean,
): Omit<DraftContent, 'text' | 'html' | 'attachments'> {
  return {
    from: from ?? { name: '', address: '' },
    to,
    cc,
    bcc: parseAddresses(headers.all('bcc').join(',\n')),
    replyTo,
    subject,
    inReplyTo: sendableIds(headers.text('in-reply-to')).slice(-100),
    references: sendableIds(headers.text('references')).slice(-100),
    // Others of another mail program describe that program.
    headers: extraHeadersOf(headers).filter(({ name, value }) => isOurs || isForwarding(name, value)),
  }
}

/** Whether a field names what the draft forwards. A longer one could not be sent with others. */
function isForwarding(name: string, { length }: string): boolean {
  return name === forwardedField && length < 8_000
}

/** The same in the API's form. */
export function writtenHeader({
  from,
  to,
  cc,
  bcc,
  replyTo,
  subject,
  inReplyTo,
  references,
  headers = [],
}: Omit<DraftContent, 'text' | 'html' | 'attachments'>) {
  return {
    from: addressText(from),
    to: to.map(addressText),
    cc: cc.map(addressText),
    bcc: bcc.map(addressText),
    reply_to: replyTo.map(addressText),
    subject,
    in_reply_to: [...inReplyTo],
    references: [...references],
    headers: givenHeaders(headers),
  }
}

/** A draft without any text has an empty one. */
export function textsOf({ text, html }: Pick<OpenedContent, 'text' | 'html'>): Pick<DraftContent, 'text' | 'html'> {
  const read = plain(html)
  return { text: plain(text) ?? (read === null ? '' : null), html: read }
}

/** The last line break only ends the last line. */
function plain(text: OpenedContent['text']): string | null {
  return openedText(text)?.replace(/\n$/, '') ?? null
}

/** The draft with given fields replaced. @throws Refusal naming the field */
export function changed(draft: DraftContent, fields: DraftFields): DraftContent {
  const { subject = draft.subject, text = draft.text, html = draft.html } = fields
  return {
    from: fields.from === undefined ? draft.from : typedAddress(fields.from),
    to: typed(fields.to, draft.to),
    cc: typed(fields.cc, draft.cc),
    bcc: typed(fields.bcc, draft.bcc),
    replyTo: typed(fields.reply_to, draft.replyTo),
    subject,
    text: text === null && html === null ? '' : text,
    html,
    inReplyTo: fields.in_reply_to === undefined ? draft.inReplyTo : ids('in_reply_to', fields.in_reply_to),
    references: fields.references === undefined ? draft.references : ids('references', fields.references),
    headers: fields.headers === undefined ? (draft.headers ?? []) : extraHeaders(fields.headers, 'headers.'),
    attachments: fields.attachments === undefined ? draft.attachments : attachments(fields.attachments),
  }
}

function typed(given: string | readonly string[] | undefined, before: readonly Address[]): readonly Address[] {
  if (given === undefined) return before
  return [given].flat().flatMap((text) => (text.trim() === '' ? [] : typedAddress(text)))
}
