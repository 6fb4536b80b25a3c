/** Text of responses with one character an octet, as headers of messages have them: what is no ASCII goes out as it came. */

/** A string: quoted where that is possible, else a literal (RFC 9051, section 4.3). The caller has left out NUL. */
export function octetString(text: string): string {
  return QUOTABLE.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : `{${text.length}}\r\n${text}`
}

export function octetNstring(text: string | null): string {
  return text === null ? 'NIL' : octetString(text)
}

/** A text of ours, in UTF-8. */
export function utf8String(text: string): string {
  return octetString(Buffer.from(text.replaceAll('\0', '')).toString('latin1'))
}

/** Octets that are told as the text of a message, which cannot have NUL: it goes out as 0x80, as Dovecot sends it, so that sizes
 *  stay. */
export function withoutNul(bytes: Buffer): Buffer {
  if (!bytes.includes(0)) return bytes
  return Buffer.from(bytes.map((octet) => (octet === 0 ? 0x80 : octet)))
}

/** Longer ones are easier to read as literals. */
const QUOTABLE = /^[\x20-\x7e\t]{0,1024}$/
