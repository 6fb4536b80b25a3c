import { decodeHTMLAttribute } from 'entities/decode'
import { attributeOf, tagsOf } from './html-tags.ts'
import type { Part } from './part.ts'
import { partText } from './part-text.ts'
import type { Body } from './pieces.ts'

/** Encoded bytes of HTML that are read for it: one MiB takes some 10 ms. */
const mostHtml = 1024 * 1024

/** The Content-IDs that pictures in the message's HTML name by `cid:` (RFC 2392). Without a picture to be shown nothing is read. */
export function shownPictures(raw: Buffer, { pieces, attached }: Body): ReadonlySet<string> {
  const shown = new Set<string>()
  if (!attached.some(({ part }) => maybeShown(part))) return shown
  let left = mostHtml
  for (const part of pieces.flatMap(({ html }) => html)) {
    if (left <= 0) break
    for (const id of picturesIn(partText(raw, part, left))) shown.add(id)
    left -= part.end - part.start
  }
  return shown
}

/** Whether a part is a picture that the message's HTML may show within the text. */
export function maybeShown({ type, contentId, disposition }: Part): boolean {
  return type.startsWith('image/') && contentId !== null && disposition !== 'attachment'
}

function* picturesIn(html: string): Generator<string> {
  for (const { name, closing, start, end } of tagsOf(html)) {
    if (name !== 'img' || closing) continue
    const source = decodeHTMLAttribute(attributeOf(html.slice(start, end), 'src')).trim()
    if (/^cid:/i.test(source)) yield* [source.slice(4), decoded(source.slice(4))]
  }
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id)
  } catch {
    return id
  }
}
