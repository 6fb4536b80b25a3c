/** Of more characters or tags, HTML is shown once it is asked for: it may hold up the page. */
const most = { characters: 300_000, tags: 8_000 }

/** Of more tags, it would hold up the page for minutes. Pictures in it may make it long, but not this. */
const mostTagsEver = 100_000

export type HtmlSize = 'usual' | 'large' | 'too large'

/** Whether HTML can be shown at once, if it is asked for, or never. */
export function htmlSize(html: string): HtmlSize {
  let tags = 0
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at + 1)) {
    tags += 1
    if (tags > mostTagsEver) return 'too large'
  }
  return tags > most.tags || html.length > most.characters ? 'large' : 'usual'
}
