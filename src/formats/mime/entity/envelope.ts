import type { Headers } from '../header/headers.ts'
import { type EnvelopeAddress, envelopeAddresses, mostTokens } from './envelope-addresses.ts'

/** The envelope structure of a message (RFC 9051, section 7.5.2). Texts have one character an octet, and encoded words as they are;
 *  null where the header has no such field. */
export interface Envelope {
  readonly date: string | null
  readonly subject: string | null
  readonly from: readonly EnvelopeAddress[]
  readonly sender: readonly EnvelopeAddress[]
  readonly replyTo: readonly EnvelopeAddress[]
  readonly to: readonly EnvelopeAddress[]
  readonly cc: readonly EnvelopeAddress[]
  readonly bcc: readonly EnvelopeAddress[]
  readonly inReplyTo: string | null
  readonly messageId: string | null
}

/** Limit for a text. */
const MOST_TEXT = 64 * 1024

/** Of several fields with one name, addresses are those of all, and a text is the last one's. Never throws. */
export function readEnvelope(headers: Headers): Envelope {
  const left = { tokens: mostTokens }
  const addresses = (name: string) => {
    const values = headers.octets(name)
    return values.length === 0 ? [] : envelopeAddresses(unfolded(values.join(',')), left)
  }
  const from = addresses('from')
  const orFrom = (name: string) => {
    const own = addresses(name)
    return own.length > 0 ? own : from
  }
  return {
    date: writtenText(headers, 'date'),
    subject: writtenText(headers, 'subject')?.replace(/[ \t]+/g, ' ') ?? null,
    from,
    sender: orFrom('sender'),
    replyTo: orFrom('reply-to'),
    to: addresses('to'),
    cc: addresses('cc'),
    bcc: addresses('bcc'),
    inReplyTo: writtenText(headers, 'in-reply-to'),
    messageId: writtenText(headers, 'message-id'),
  }
}

/** The value of the last field of that name, unfolded, in octets. */
export function writtenText(headers: Headers, name: string): string | null {
  const value = headers.octets(name).at(-1)
  return value === undefined ? null : unfolded(value.slice(0, MOST_TEXT))
}

/** In one line, without NUL, which no string of IMAP can have. */
function unfolded(value: string): string {
  return /[\r\n\0]/.test(value) ? value.replace(/[\r\n\0]+/g, '').trim() : value
}
