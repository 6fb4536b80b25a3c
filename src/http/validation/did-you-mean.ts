/** The word that was probably meant: it differs in case, in how its parts are joined, or in a letter or two. */
export function didYouMean(given: string, words: readonly string[]): string | undefined {
  if (given.length > longest) return undefined
  const plain = letters(given)
  const most = plain.length < 4 ? 1 : 2
  const near = words
    .map((word) => ({ word, distance: distance(plain, letters(word)) }))
    .filter(({ distance, word }) => distance <= most && distance < letters(word).length / 2)
  return near.sort((a, b) => a.distance - b.distance)[0]?.word
}

/** Longer than any field's name; bounds the work. */
const longest = 64

/** `replyTo` and `reply-to` are `reply_to`. */
function letters(word: string): string {
  return word.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}

/** The edit distance, by optimal string alignment: insertions, deletions, substitutions and swaps of neighbours. */
export function distance(a: string, b: string): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const changed = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (before[j - 2] ?? 0) + 1 : changed
      row.push(Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, changed, swapped))
    }
    before = last
    last = row
  }
  return last[b.length] ?? 0
}
