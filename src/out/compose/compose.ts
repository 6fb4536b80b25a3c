import { isAscii } from 'node:buffer'
import { Readable } from 'node:stream'
import MailComposer from 'nodemailer/lib/mail-composer'
import { detectMimeType } from 'nodemailer/lib/mime-funcs'
import { inTurns } from '#/base/event-loop/pieces.ts'
import { type Address, canonicalDomain, splitAddress } from '#/formats/mime/address/address.ts'
import { withoutControls } from '#/formats/mime/charset.ts'
import type { Outgoing, OutgoingAttachment } from '#/out/sending/outgoing.ts'
import { addressFields } from './address-fields.ts'
import { fieldLines } from './extra-fields.ts'

/** Message-ID and Date of a message. */
export interface Identity {
  /** `<…>` */
  readonly messageId: string
  readonly date: Date
}

/** Composes a message (RFC 5322, MIME) in lines that end with CRLF. Text and HTML become multipart/alternative. Parts that
 *  the HTML refers to by `cid:` are related to it (RFC 2387); others are attached. All is ASCII except an internationalised
 *  local part: texts are encoded, so that no relay has to. No header names recipients in Bcc. */
export async function compose(outgoing: Outgoing, { messageId, date }: Identity): Promise<Buffer> {
  const { from, to, cc, replyTo, subject, text, html, inReplyTo } = outgoing
  const references = threadOf(outgoing)
  const composer = new MailComposer({
    messageId,
    date,
    ...(inReplyTo.length > 0 && { inReplyTo: inReplyTo.join(' ') }),
    ...(references.length > 0 && { references }),
    ...(text !== null && { text: proper(text) }),
    ...(html !== null && { html: proper(html) }),
    attachments: outgoing.attachments.map(attachment),
    newline: 'windows',
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const rest = await Array.fromAsync<Buffer>(composer.compile().createReadStream())
  const named = { From: [from], To: to, Cc: cc, 'Reply-To': replyTo }
  const addresses = Object.entries(named).map(([name, all]) => [name, all.map(onTheWire)] as const)
  return Buffer.concat([
    fieldLines(outgoing.headers ?? []),
    Buffer.from(addressFields(Object.fromEntries(addresses))),
    fieldLines(subject === '' ? [] : [{ name: 'Subject', value: withoutControls(subject) }]),
    ...rest,
  ])
}

/** With an ASCII domain, unless the local part needs SMTPUTF8 anyway. */
function onTheWire({ name, address }: Address): Address {
  const { local = '', domain = '' } = splitAddress(address) ?? {}
  const ascii = isAscii(Buffer.from(local)) ? canonicalDomain(domain) : undefined
  return { name: withoutControls(name), address: ascii === undefined ? address : `${local}@${ascii}` }
}

/** A reply without References continues the conversation of the message that it replies to (RFC 5322, section 3.6.4). */
function threadOf({ references, inReplyTo }: Outgoing): string[] {
  return references.length > 0 ? [...references] : inReplyTo.slice(0, 1)
}

/** A lone CR ends a line too; otherwise it would be lost. */
function proper(text: string): string {
  return text.replace(/\r\n?/g, '\n')
}

function attachment({ filename, content, contentType, contentId }: OutgoingAttachment) {
  const type = contentType ?? detectMimeType(filename)
  // RFC 2046, section 5.2.1: a message is not encoded. One that SMTP cannot carry as it is, is all the same: readers decode it.
  const isCarried = type.startsWith('message/') && isSevenBit(content)
  return {
    filename,
    content: Readable.from(inTurns(content, encodedInOneTurn)),
    contentType: type,
    contentTransferEncoding: isCarried ? '7bit' : 'base64',
    contentDisposition: contentId !== null && type.startsWith('image/') ? 'inline' : 'attachment',
    ...(contentId !== null && { cid: contentId }),
  }
}

/** RFC 5321, section 4.5.3.1.6, without CRLF. */
const longestLine = 998
const [CR, LF] = [0x0d, 0x0a]

/** Whether these octets are lines of ASCII that SMTP carries unchanged (RFC 2045, section 2.7). */
function isSevenBit(content: Buffer): boolean {
  if (!isAscii(content) || content.includes(0)) return false
  for (let start = 0; start < content.length; ) {
    const feed = content.indexOf(LF, start)
    const end = feed < 0 ? content.length : feed - 1
    if (end - start > longestLine || content.subarray(start, end).includes(CR)) return false
    if (feed >= 0 && (end < start || content[end] !== CR)) return false
    start = end + 2
  }
  return true
}

/** Octets that are encoded at once, whole lines of base64: 8 MiB take 0.2 s. */
const encodedInOneTurn = 57 * 1024
