/** Untrusted text for one line: without bidirectional and other control characters, and without line breaks. */
export function plain(text: string): string {
  return text.replace(/[\p{Bidi_Control}\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()
}
