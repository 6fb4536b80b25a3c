import { invalid } from '#/base/errors.ts'

/** The characters of an IMAP flag-keyword (RFC 9051, section 9: atom), in lower case since case is ignored. */
const atom = /^[!#$&'+,\-./0-9:;<=>?@^_`a-z|}~]{1,50}$/

/** Whether a text in lower case can be a keyword of a message. */
export function isKeyword(text: string): boolean {
  return atom.test(text)
}

/** Lower-cased, each once, sorted. Throws for keywords that no IMAP server keeps: others than 1 to 50 atom characters. */
export function normalKeywords(keywords: readonly string[]): string[] {
  if (keywords.length === 0) return []
  const normal = new Set(keywords.map((keyword) => keyword.toLowerCase()))
  for (const keyword of normal) {
    if (!isKeyword(keyword)) throw invalid('keywords', `${JSON.stringify(keyword)} is not a keyword`)
  }
  return [...normal].sort()
}
