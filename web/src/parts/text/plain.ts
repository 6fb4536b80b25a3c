/** A stranger's text for one line: without what turns the direction of text, control characters and line breaks. */
export function plain(text: string): string {
  return text.replace(/[\p{Bidi_Control}\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()
}
