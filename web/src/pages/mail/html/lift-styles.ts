/** Longer tags end at their first `>`. */
const longestTag = 2_000

/** Removes styles from HTML before it is parsed: elements as their text, attributes under the name `data-own-style`. In a
 *  page whose policy forbids inline styles, a parser logs an error for each. Safety does not depend on it: the sanitizer
 *  drops what this misses. Comments are removed too, as they may contain what looks like styles. */
export function liftStyles(html: string): { html: string; css: string[] } {
  const { pieces, css } = liftedPieces(html)
  return { html: pieces.join(''), css }
}

/** The same, with the HTML in pieces: each tag, and the texts between them. `comments` are as they are written. */
export function liftedPieces(html: string): { pieces: string[]; css: string[]; comments: string[] } {
  const css: string[] = []
  const comments: string[] = []
  const kept: string[] = []
  const closing = /<\/style[^>]*>?/gi
  const whole = /<[a-z](?:"[^"]*"|'[^']*'|[^"'>])*>/iy
  let at = 0
  for (let start = html.indexOf('<'); start >= 0; start = html.indexOf('<', at)) {
    kept.push(html.slice(at, start))
    if (html.startsWith('<!--', start)) {
      const end = html.indexOf('-->', start + 2)
      at = end < 0 ? html.length : end + 3
      comments.push(html.slice(start, at))
      continue
    }
    if (/^<\/[a-z]/i.test(html.slice(start, start + 3))) {
      const end = html.indexOf('>', start)
      at = end < 0 ? html.length : end + 1
      kept.push(html.slice(start, at))
      continue
    }
    if (!/[a-z]/i.test(html[start + 1] ?? '')) {
      kept.push('<')
      at = start + 1
      continue
    }
    whole.lastIndex = 0
    const tag =
      whole.exec(html.slice(start, start + longestTag))?.[0] ?? html.slice(start, html.indexOf('>', start) + 1)
    if (tag === '') {
      kept.push(html.slice(start))
      at = html.length
      break
    }
    at = start + tag.length
    if (!/^<style[\s/>]/i.test(tag)) {
      kept.push(tag.replace(/([\s"'/])style(\s*=)/i, '$1data-own-style$2'))
      continue
    }
    closing.lastIndex = at
    const end = closing.exec(html)
    css.push(html.slice(at, end?.index))
    at = end ? closing.lastIndex : html.length
  }
  kept.push(html.slice(at))
  return { pieces: kept, css, comments }
}
