import { messageDate } from './date.ts'

/** What of an encrypted message is left to read for whoever holds it. */
export interface ClearHeader {
  /** A whole field: that we have taken it, when, under which id. */
  readonly received: string
  /** The author's bare address, for a mail client to list, to search and to answer; null where it has no plain form. */
  readonly from: string | null
  /** The mailbox that it is in. */
  readonly to: string
  /** What a reply names; null where the message has none of the usual form. */
  readonly messageId: string | null
  /** When it was received: what its author wrote as the date is a secret too. */
  readonly date: Date
}

/** Stands for a subject that is encrypted (RFC 9788, section 3.2.2). */
const obscured = '[...]'

/**
 * A PGP/MIME message (RFC 3156, section 4) around an OpenPGP message in ASCII armor: what comes before that and after
 * it. What is encrypted is a whole message with its own header, which has all that is left out here.
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

/** The address where it can stand in a header as it is; null where it would have to be quoted, or is none. */
export function plainAddress(address: string): string | null {
  return address.length <= 320 &&
    /^[^\s\x00-\x20\x7f-\x9f"(),:;<>@[\\\]]+@[^\s\x00-\x20\x7f-\x9f"(),:;<>@\\]+$/.test(address)
    ? address
    : null
}

/** The Message-ID where it is one of the usual form (RFC 5322, section 3.6.4). */
export function plainMessageId(messageId: string | null): string | null {
  return messageId !== null && /^<[\x21-\x3b\x3d\x3f-\x7e]{1,250}>$/.test(messageId) ? messageId : null
}
