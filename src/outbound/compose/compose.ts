import { Readable } from 'node:stream'
import MailComposer from 'nodemailer/lib/mail-composer'
import { detectMimeType } from 'nodemailer/lib/mime-funcs'
import { inTurns } from '#/event-loop/pieces.ts'
import type { Outgoing, OutgoingAttachment } from '#/sending/outgoing.ts'
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
    from,
    to: [...to],
    ...(cc.length > 0 && { cc: [...cc] }),
    ...(replyTo.length > 0 && { replyTo: [...replyTo] }),
    subject,
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
  return Buffer.concat([fieldLines(outgoing.headers ?? []), ...rest])
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
  return {
    filename,
    content: Readable.from(inTurns(content, encodedInOneTurn)),
    // As message/… it could not be encoded (RFC 2046, section 5.2.1), and may have 8-bit octets or long lines.
    contentType: type.startsWith('message/') ? 'application/octet-stream' : type,
    contentTransferEncoding: 'base64',
    contentDisposition: contentId !== null && type.startsWith('image/') ? 'inline' : 'attachment',
    ...(contentId !== null && { cid: contentId }),
  }
}

/** Octets that are encoded at once, whole lines of base64: 8 MiB take 0.2 s. */
const encodedInOneTurn = 57 * 1024
