export interface Tag {
  /** In lower case; `!--` for a comment. */
  readonly name: string
  readonly closing: boolean
  readonly start: number
  /** The offset after it; after its content too if that is not shown. */
  readonly end: number
}

/** Elements whose content is not shown, and where each ends. */
const HIDDEN = new Map(['script', 'style', 'template', 'title'].map((name) => [name, new RegExp(`</${name}`, 'gi')]))

/** The tags and comments of HTML, in their order. Takes linear time, whatever is unclosed. */
export function* tagsOf(html: string): Generator<Tag, void> {
  /** A quote in a tag has no end: from then on tags end at their first `>`. */
  let quotesBroken = false
  for (let at = 0; at < html.length; ) {
    const start = nextTag(html, at)
    const name = tagName(html, start + 1)
    if (name === undefined) return
    const closing = html[start + 1] === '/'
    if (name.startsWith('!--')) at = after(html, '-->', start + 4)
    else {
      const end: number | undefined = quotesBroken ? undefined : tagEnd(html, start)
      quotesBroken ||= end === undefined
      at = end ?? after(html, '>', start)
      const hidden = closing ? undefined : HIDDEN.get(name)
      if (hidden) at = endOfHidden(html, hidden, at)
    }
    yield { name, closing, start, end: at }
  }
}

/** The next `<` that starts a tag, else the end. */
function nextTag(html: string, from: number): number {
  let open = html.indexOf('<', from)
  while (open >= 0 && tagName(html, open + 1) === undefined) open = html.indexOf('<', open + 1)
  return open < 0 ? html.length : open
}

/** In lower case; undefined if the `<` starts no tag. */
function tagName(html: string, at: number): string | undefined {
  TAG_NAME.lastIndex = at
  return TAG_NAME.exec(html)?.[1]?.toLowerCase()
}
const TAG_NAME = /\/?([a-z][a-z0-9:-]{0,30}|!--|[!?/])/iy

/** The place after the tag's `>` outside of quotes; undefined if there is none. */
function tagEnd(html: string, open: number): number | undefined {
  let quote = 0
  for (let at = open + 1; at < html.length; at++) {
    const code = html.charCodeAt(at)
    if (quote !== 0) {
      if (code === quote) quote = 0
    } else if (code === 0x3e) return at + 1
    else if ((code === 0x22 || code === 0x27) && html.charCodeAt(at - 1) === 0x3d) quote = code
  }
  return undefined
}

function after(html: string, what: string, from: number): number {
  const found = html.indexOf(what, from)
  return found < 0 ? html.length : found + what.length
}

function endOfHidden(html: string, closing: RegExp, from: number): number {
  closing.lastIndex = from
  return closing.exec(html)?.index ?? html.length
}

/** An attribute of a tag, given as it is written; empty where the tag has none. Entities are not decoded. */
export function attributeOf(tag: string, name: keyof typeof attributes): string {
  const [, double, single, bare] = attributes[name].exec(tag) ?? []
  return double ?? single ?? bare ?? ''
}
const written = (name: string) => new RegExp(`[\\s"'/]${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i')
const attributes = {
  id: written('id'),
  type: written('type'),
  class: written('class'),
  style: written('style'),
  src: written('src'),
}
