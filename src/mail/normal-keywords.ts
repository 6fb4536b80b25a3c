import { invalid } from '#/errors.ts'
import { isKeyword } from '#/labels/keyword.ts'

/** Lower-cased, each once, sorted. Throws for keywords that no IMAP server keeps: others than 1 to 50 atom characters. */
export function normalKeywords(keywords: readonly string[]): string[] {
  if (keywords.length === 0) return []
  const normal = new Set(keywords.map((keyword) => keyword.toLowerCase()))
  for (const keyword of normal) {
    if (!isKeyword(keyword)) throw invalid('keywords', `${JSON.stringify(keyword)} is not a keyword`)
  }
  return [...normal].sort()
}
