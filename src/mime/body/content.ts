import { decodeBytes, manyLines } from '../charset.ts'
import { readHeaders } from '../header/headers.ts'
import { unflow } from './flowed.ts'
import { htmlToText } from './html-text.ts'
import { leaves, type Part, readStructure } from './structure.ts'
import { decodePart } from './transfer-encoding.ts'

/** The texts and attachments of a message. */
export interface Content {
  /** The text as mail programs show it, with LF; null if the message has no text part. */
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
  /** Shown within the text, not beside it. */
  readonly inline: boolean
  /** For `cid:` in the HTML, without angle brackets. */
  readonly contentId: string | null
}

/** A piece of the body: an alternative's text and HTML, or a single text part. */
export interface Piece {
  readonly text: Part[]
  readonly html: Part[]
}

/** The parts of a message by their use. */
export interface Body {
  readonly pieces: readonly Piece[]
  readonly attached: readonly { readonly part: Part; readonly within: readonly Part[] }[]
}

/** Never throws. */
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

/** Undefined if the message has no attachment with that id. */
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

/** Text and HTML parts that are not marked as a file are the body, in order; all others are attachments. The text and the HTML of
 *  the innermost multipart/alternative are one piece. */
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

/** A single text part is always the body. Among others, a name marks a file (a patch, a log), except at the start or in an
 *  alternative: some mailers name the body too. */
function isBody(part: Part, { alone, named }: { alone: boolean; named: boolean }): boolean {
  if (part.disposition === 'attachment') return false
  if (alone) return part.type.startsWith('text/')
  return (part.type === 'text/plain' || part.type === 'text/html') && !named
}

/** Shown within the text: marked `inline`, or referred to by the HTML beside it. */
function isInline(part: Part, within: readonly Part[]): boolean {
  return part.disposition === 'inline' || (part.disposition !== 'attachment' && isReferred(part, within))
}

export function isReferred(part: Part, within: readonly Part[]): boolean {
  return part.contentId !== null && within.some(({ type }) => type === 'multipart/related')
}

/** Joins the pieces as one kind. A piece of the other kind only is converted, so that no part is missing; null if no piece has this
 *  kind. */
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

/** Limit for conversions between HTML and text, and for undoing soft line breaks, in one message: half a MiB takes some 20 ms. */
const MOST_TURNED = 512 * 1024

/** Decodes a text part, with LF and without controls. `most` limits the bytes that are read. */
export function partText(raw: Buffer, part: Part, most?: number): string {
  const bytes = decodePart(raw, part, most)
  const charset = part.parameters.get('charset') ?? (part.type === 'text/html' ? metaCharset(bytes) : undefined)
  const text = manyLines(decodeBytes(bytes, charset))
  const flowed = part.type === 'text/plain' && part.parameters.get('format')?.toLowerCase() === 'flowed'
  return flowed && text.length <= MOST_TURNED
    ? unflow(text, part.parameters.get('delsp')?.toLowerCase() === 'yes')
    : text
}

/** The charset that an HTML document declares in its first 1,024 bytes (HTML Living Standard, section 13.2.3.2). UTF-16 must be
 *  wrong, since `<meta` was found as bytes. */
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
