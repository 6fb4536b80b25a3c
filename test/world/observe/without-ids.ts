/** A text without what is random in it, as domains, boundaries and Message-IDs are, which may spell any word of the letters
 *  a to f. */
export function withoutIds(text: string): string {
  return text.replace(/[0-9a-f-]{8,}/g, '')
}
