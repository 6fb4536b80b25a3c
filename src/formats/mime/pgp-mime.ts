import { messageDate } from './header/date.ts'

/** The clear header of an encrypted message. */
export interface ClearHeader {
  /** A whole Received field: when we accepted it, and its id. */
  readonly received: string
  /** The author's bare address, so that mail programs can list, search and answer; null if it has no plain form. */
  readonly from: string | null
  /** The mailbox that it is in. */
  readonly to: string
  /** For replies; null if the message has none of the usual form. */
  readonly messageId: string | null
  /** When it was received. The author's Date is encrypted. */
  readonly date: Date
}

/** Replaces an encrypted subject (RFC 9788, section 3.2.2). */
const obscured = '[...]'

/**
 * A PGP/MIME message (RFC 3156, section 4) around an OpenPGP message in ASCII armor: what comes before that and after
 * it. The encrypted content is a whole message, whose header has all that is left out here.
 * @param boundary in no line of the armor; 1 to 70 letters, digits or hyphens
 */
export function aroundArmor(header: ClearHeader, boundary: string): { before: string; after: string } {
  const { received, from, to, messageId, date } = header
  const lines = [
    `Date: ${messageDate(date)}`,
    ...(from === null ? [] : [`From: ${from}`]),
    `To: ${to}`,
    `Subject: ${obscured}`,
    ...(messageId === null ? [] : [`Message-ID: ${messageId}`]),
    'MIME-Version: 1.0',
    'Content-Type: multipart/encrypted; protocol="application/pgp-encrypted";',
    `\tboundary="${boundary}"`,
    '',
    'This message is encrypted with OpenPGP (RFC 3156).',
    `--${boundary}`,
    'Content-Type: application/pgp-encrypted',
    'Content-Description: PGP/MIME version identification',
    '',
    'Version: 1',
    '',
    `--${boundary}`,
    'Content-Type: application/octet-stream; name="encrypted.asc"',
    'Content-Disposition: inline; filename="encrypted.asc"',
    'Content-Description: OpenPGP encrypted message',
    '',
    '',
  ]
  return { before: received + lines.join('\r\n'), after: `\r\n--${boundary}--\r\n` }
}

/** The address if it needs no quotes in a header; null otherwise. */
export function plainAddress(address: string): string | null {
  return address.length <= 320 &&
    /^[^\s\x00-\x20\x7f-\x9f"(),:;<>@[\\\]]+@[^\s\x00-\x20\x7f-\x9f"(),:;<>@\\]+$/.test(address)
    ? address
    : null
}

/** The Message-ID if it has the usual form (RFC 5322, section 3.6.4). */
export function plainMessageId(messageId: string | null): string | null {
  return messageId !== null && /^<[\x21-\x3b\x3d\x3f-\x7e]{1,250}>$/.test(messageId) ? messageId : null
}
