/** With more characters or tags, HTML is shown on request only: it may block the page. */
const most = { characters: 300_000, tags: 8_000 }

/** With more tags it would block the page for minutes. Pictures may make it long, but not this. */
const mostTagsEver = 100_000

export type HtmlSize = 'usual' | 'large' | 'too large'

/** Whether HTML is shown at once, on request, or never. */
export function htmlSize(html: string): HtmlSize {
  let tags = 0
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at + 1)) {
    tags += 1
    if (tags > mostTagsEver) return 'too large'
  }
  return tags > most.tags || html.length > most.characters ? 'large' : 'usual'
}
