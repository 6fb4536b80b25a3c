import { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import MailComposer from 'nodemailer/lib/mail-composer'
import { detectMimeType } from 'nodemailer/lib/mime-funcs'
import type { Outgoing, OutgoingAttachment } from '#/sending/outgoing.ts'

/** What a message is identified and dated by. */
export interface Identity {
  /** `<…>` */
  readonly messageId: string
  readonly date: Date
}

/**
 * Composes a message (RFC 5322, MIME) in lines that end with CRLF. Text and HTML become multipart/alternative, what the
 * HTML refers to by `cid:` stands beside it (RFC 2387), the rest is attached. All is ASCII but for an internationalised
 * local part: texts are encoded, so that no relay on the way has to. No header names who is in Bcc.
 */
export async function compose(outgoing: Outgoing, { messageId, date }: Identity): Promise<Buffer> {
  const { from, to, cc, replyTo, subject, text, html, inReplyTo } = outgoing
  const references = threadOf(outgoing)
  const composer = new MailComposer({
    from,
    ...(to.length > 0 && { to: [...to] }),
    ...(cc.length > 0 && { cc: [...cc] }),
    ...(replyTo.length > 0 && { replyTo: [...replyTo] }),
    // With neither To nor Cc mail looks broken to many a filter; a group without members names nobody (RFC 6854).
    ...(to.length + cc.length === 0 && { headers: { To: 'undisclosed-recipients:;' } }),
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
  return Buffer.concat(await Array.fromAsync<Buffer>(composer.compile().createReadStream()))
}

/** A reply that names no References continues the conversation of what it replies to (RFC 5322, section 3.6.4). */
function threadOf({ references, inReplyTo }: Outgoing): string[] {
  return references.length > 0 ? [...references] : inReplyTo.slice(0, 1)
}

/** A lone CR ends a line too; it would be lost otherwise. */
function proper(text: string): string {
  return text.replace(/\r\n?/g, '\n')
}

function attachment({ filename, content, contentType, contentId }: OutgoingAttachment) {
  const type = contentType ?? detectMimeType(filename)
  return {
    filename,
    content: Readable.from(pieces(content)),
    // As message/… its octets could not be encoded (RFC 2046, section 5.2.1), 8-bit ones or long lines among them.
    contentType: type.startsWith('message/') ? 'application/octet-stream' : type,
    contentTransferEncoding: 'base64',
    contentDisposition: contentId === null ? 'attachment' : 'inline',
    ...(contentId !== null && { cid: contentId }),
  }
}

/** Whole lines of base64 at a time, between which others have their turn: 8 MiB take 0.2 s of encoding. */
async function* pieces(content: Buffer): AsyncIterable<Buffer> {
  const size = 57 * 1024
  for (let at = 0; at < content.length; at += size) {
    yield content.subarray(at, at + size)
    await turn()
  }
}
