import { quotingClasses } from './html-quotations.ts'
import { type Tag, tagsOf } from './html-tags.ts'

const left = new Set([...quotingClasses, 'gmail_signature', 'gmail_signature_prefix', 'moz-signature'])
/** Outlook's marks at the beginning of the answered message, which extends to the end. */
const lastIds = new Set(['appendonsend', 'divRplyFwdMsg'])
/** A tag without one of these needs no closer look. */
const telling = /cite|quote|signature|appendonsend|divRplyFwdMsg/
const empty = new Set(['br', 'hr', 'img', 'input', 'meta', 'link', 'wbr'])

/** HTML without what it quotes and without signatures, as mail programs mark these; all else as it is. Elements that are open where
 *  the quoted message begins stay open. Takes linear time. */
export function newHtml(html: string): string {
  let kept = ''
  let from = 0
  let leftOut: { readonly name: string; depth: number } | undefined
  for (const { name, closing, start, end } of tagsOf(html)) {
    if (leftOut) {
      if (name === leftOut.name) leftOut.depth += closing ? -1 : 1
      if (leftOut.depth > 0) continue
      leftOut = undefined
      from = end
    } else if (!closing) {
      const use = useOf(html, { name, closing, start, end })
      if (use === 'new') continue
      kept += html.slice(from, start)
      if (use === 'last') return kept
      if (empty.has(name)) from = end
      else leftOut = { name, depth: 1 }
    }
  }
  return leftOut ? kept : kept + html.slice(from)
}

/** `last`: it and all behind it is not new. */
function useOf(html: string, { name, start, end }: Tag): 'new' | 'left' | 'last' {
  const tag = html.slice(start, end)
  if (!telling.test(tag)) return 'new'
  if (lastIds.has(attribute(tag, ids))) return 'last'
  if (name === 'blockquote' && attribute(tag, types).toLowerCase() === 'cite') return 'left'
  return attribute(tag, classes)
    .split(/\s+/)
    .some((one) => left.has(one))
    ? 'left'
    : 'new'
}

const [ids, types, classes] = ['id', 'type', 'class'].map(
  (name) => new RegExp(`[\\s"'/]${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i'),
) as [RegExp, RegExp, RegExp]

function attribute(tag: string, pattern: RegExp): string {
  const [, double, single, bare] = pattern.exec(tag) ?? []
  return double ?? single ?? bare ?? ''
}
