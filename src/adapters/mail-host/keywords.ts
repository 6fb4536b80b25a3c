import { invalid } from '#/errors.ts'

/** What an IMAP flag-keyword may be made of (RFC 9051, section 9: atom), in lower case since case does not count. */
const atom = /^[!#$&'+,\-./0-9:;<=>?@^_`a-z|}~]{1,50}$/

/** Lower-cased, each once, sorted. Throws for what no IMAP server would keep: anything but 1 to 50 atom characters. */
export function normalKeywords(keywords: readonly string[]): string[] {
  if (keywords.length === 0) return []
  const normal = new Set(keywords.map((keyword) => keyword.toLowerCase()))
  for (const keyword of normal) {
    if (!isKeyword(keyword)) throw invalid('keywords', `${JSON.stringify(keyword)} is not a keyword`)
  }
  return [...normal].sort()
}

/** Whether a text in lower case is one that a message can have. */
export function isKeyword(text: string): boolean {
  return atom.test(text)
}
