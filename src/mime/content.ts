import { decodeBytes, manyLines } from './charset.ts'
import { unflow } from './flowed.ts'
import { readHeaders } from './headers.ts'
import { htmlToText } from './html-text.ts'
import { leaves, type Part, readStructure } from './structure.ts'
import { decodePart } from './transfer-encoding.ts'

/** What a message says, and what is attached to it. */
export interface Content {
  /** The text as mail clients show it, lines ending in LF; null where the message has no text part. */
  readonly text: string | null
  readonly html: string | null
  readonly attachments: readonly Attachment[]
}

export interface Attachment {
  /** The part's number in the message, such as `2.1`: the same at every reading. */
  readonly id: string
  readonly filename: string | null
  readonly content_type: string
  /** Decoded. */
  readonly size_bytes: number
  /** It belongs within the text, rather than beside it. */
  readonly inline: boolean
  /** What the HTML calls it (`cid:`), without angle brackets. */
  readonly contentId: string | null
}

/** One piece of the body: what an alternative offers as text and as HTML, or a text part by itself. */
export interface Piece {
  readonly text: Part[]
  readonly html: Part[]
}

/** A message's parts by what a reader takes them for. */
export interface Body {
  readonly pieces: readonly Piece[]
  readonly attached: readonly { readonly part: Part; readonly within: readonly Part[] }[]
}

/** Reads what a message says. Never throws. */
export function readContent(raw: Buffer): Content {
  const { pieces, attached } = sortParts(structureOf(raw))
  return {
    text: joined(raw, pieces, 'text'),
    html: joined(raw, pieces, 'html'),
    attachments: attached.map(({ part, within }) => ({
      id: part.path,
      filename: part.filename,
      content_type: part.type,
      size_bytes: decodePart(raw, part).length,
      inline: isInline(part, within),
      contentId: part.contentId,
    })),
  }
}

/** One attachment by its id; undefined where the message has none of that id. */
export function attachmentBytes(
  raw: Buffer,
  id: string,
): { bytes: Buffer; filename: string | null; contentType: string } | undefined {
  const found = sortParts(structureOf(raw)).attached.find(({ part }) => part.path === id)?.part
  return found && { bytes: decodePart(raw, found), filename: found.filename, contentType: found.type }
}

function structureOf(raw: Buffer): Part {
  const { headers, bodyStart } = readHeaders(raw)
  return readStructure(raw, headers, bodyStart)
}

/** Text and HTML that are not marked as a file make the body, in their order; all else is attached. Of a
 *  multipart/alternative, the innermost around a part, each kind is one reading of the same piece. */
export function sortParts(root: Part): Body {
  const pieces: Piece[] = []
  const attached: { part: Part; within: readonly Part[] }[] = []
  const pieceOf = new Map<Part, Piece>()
  for (const { leaf, within } of leaves(root)) {
    const kind = leaf.type === 'text/html' ? 'html' : 'text'
    const alternative = within.findLast(({ type }) => type === 'multipart/alternative')
    const isFirst = pieces.length === 0 && leaf.disposition === ''
    if (!isBody(leaf, { alone: within.length === 0, named: !alternative && !isFirst && leaf.filename !== null })) {
      attached.push({ part: leaf, within })
      continue
    }
    const key = alternative ?? leaf
    const piece = pieceOf.get(key) ?? { text: [], html: [] }
    if (!pieceOf.has(key)) pieces.push(piece)
    pieceOf.set(key, piece)
    piece[kind].push(leaf)
  }
  return { pieces, attached }
}

/** Alone, any text is what the message says. Beside others a name marks a file (a patch, a log); only at the start or as
 *  an alternative may the body have one, which some mailers give it. */
function isBody(part: Part, { alone, named }: { alone: boolean; named: boolean }): boolean {
  if (part.disposition === 'attachment') return false
  if (alone) return part.type.startsWith('text/')
  return (part.type === 'text/plain' || part.type === 'text/html') && !named
}

/** Shown within the text: by its own word, or as what the HTML beside it refers to. */
function isInline(part: Part, within: readonly Part[]): boolean {
  return part.disposition === 'inline' || (part.disposition !== 'attachment' && isReferred(part, within))
}

export function isReferred(part: Part, within: readonly Part[]): boolean {
  return part.contentId !== null && within.some(({ type }) => type === 'multipart/related')
}

/** A piece that has only the other kind is turned into this one, so that neither reading lacks a part; null where no
 *  piece has this kind. */
function joined(raw: Buffer, pieces: readonly Piece[], kind: 'text' | 'html'): string | null {
  if (!pieces.some((piece) => piece[kind].length > 0)) return null
  const turned = kind === 'text' ? htmlToText : textToHtml
  let left = MOST_TURNED
  const texts = pieces.flatMap((piece) => {
    if (piece[kind].length > 0) return piece[kind].map((part) => partText(raw, part))
    return piece[kind === 'text' ? 'html' : 'text'].map((part) => {
      const text = partText(raw, part, left)
      left -= text.length
      return turned(text)
    })
  })
  return texts.join('\n')
}

/** How much is turned from HTML into text or back, or has its soft line breaks undone, in one message: half a MiB takes
 *  some 20 ms. */
const MOST_TURNED = 512 * 1024

/** A text part decoded, lines ending in LF, without controls; `most` limits how many of its bytes are looked at. */
export function partText(raw: Buffer, part: Part, most?: number): string {
  const bytes = decodePart(raw, part, most)
  const charset = part.parameters.get('charset') ?? (part.type === 'text/html' ? metaCharset(bytes) : undefined)
  const text = manyLines(decodeBytes(bytes, charset))
  const flowed = part.type === 'text/plain' && part.parameters.get('format')?.toLowerCase() === 'flowed'
  return flowed && text.length <= MOST_TURNED
    ? unflow(text, part.parameters.get('delsp')?.toLowerCase() === 'yes')
    : text
}

/** What an HTML document itself says it is in, where browsers look for it (HTML Living Standard, section 13.2.3.2): in its
 *  first 1,024 bytes. UTF-16 cannot be true, since the bytes of `<meta` were read. */
function metaCharset(bytes: Buffer): string | undefined {
  for (const [tag] of bytes.toString('latin1', 0, 1_024).matchAll(/<meta\s[^>]*>/gi)) {
    const [, charset] = /[\s"';]charset\s*=\s*["']?([\w.:-]{1,40})/i.exec(tag) ?? []
    if (charset !== undefined) return /^utf-16/i.test(charset) ? 'utf-8' : charset
  }
  return undefined
}

function textToHtml(text: string): string {
  const escaped = text.trimEnd().replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return `<div>${escaped.replaceAll('\n', '<br>\n')}</div>`
}
