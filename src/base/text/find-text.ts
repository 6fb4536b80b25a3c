/**
 * Whether a text has another in it, in time linear in both, where both are of others. `String.includes` compares `aaa…baaa…` with
 * `aaa…` at nearly every place: 8,000 characters in three million take half a minute (Knuth, Morris and Pratt, 1977).
 */
export function hasText(text: string, sought: string): boolean {
  if (sought.length <= short) return text.includes(sought)
  const fallback = fallbacksOf(sought)
  let length = 0
  for (let at = text.indexOf(sought.slice(0, short)); at >= 0 && at < text.length; at++) {
    const code = text.charCodeAt(at)
    while (length > 0 && sought.charCodeAt(length) !== code) length = fallback[length - 1] ?? 0
    if (sought.charCodeAt(length) === code) length++
    if (length === sought.length) return true
  }
  return false
}

/** So few characters are found by `String.includes`, which is faster in most texts and takes at most so many times longer in others. */
const short = 16

/** For each beginning of a text, the length of the longest shorter one with which it ends. */
function fallbacksOf(sought: string): Uint32Array {
  const fallback = new Uint32Array(sought.length)
  let length = 0
  for (let at = 1; at < sought.length; at++) {
    const code = sought.charCodeAt(at)
    while (length > 0 && sought.charCodeAt(length) !== code) length = fallback[length - 1] ?? 0
    if (sought.charCodeAt(length) === code) length++
    fallback[at] = length
  }
  return fallback
}
