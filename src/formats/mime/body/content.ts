import { readHeaders } from '../header/headers.ts'
import { htmlToText } from './html-text.ts'
import type { Part } from './part.ts'
import { mostTurned, partText } from './part-text.ts'
import type { Body, Piece } from './pieces.ts'
import { maybeShown, shownPictures } from './shown-pictures.ts'
import { leaves, readStructure } from './structure.ts'
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
  /** A picture that the HTML shows. */
  readonly inline: boolean
  /** For `cid:` in the HTML, without angle brackets. */
  readonly contentId: string | null
}

/** Never throws. */
export function readContent(raw: Buffer): Content {
  const body = sortParts(structureOf(raw))
  const { pieces, attached } = body
  const shown = shownPictures(raw, body)
  return {
    text: joined(raw, pieces, 'text'),
    html: joined(raw, pieces, 'html'),
    attachments: attached.map(({ part }) => ({
      id: part.path,
      filename: part.filename,
      content_type: part.type,
      size_bytes: decodePart(raw, part).length,
      inline: isShown(part, shown),
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
  const all = [...leaves(root)]
  const isOnly = all.filter(({ leaf }) => isDisplayable(leaf)).length === 1
  for (const { leaf, within } of all) {
    const kind = leaf.type === 'text/html' ? 'html' : 'text'
    const alternative = within.findLast(({ type }) => type === 'multipart/alternative')
    const isFile =
      leaf.filename !== null && !alternative && !isOnly && !isMain(leaf, within.at(-1), pieces.length === 0)
    if (!isBody(leaf, { alone: within.length === 0, isFile })) {
      attached.push({ part: leaf, within })
      continue
    }
    if (within.length === 0 && FILES_TOO.has(leaf.type)) attached.push({ part: leaf, within })
    const key = alternative ?? leaf
    const piece = pieceOf.get(key) ?? { text: [], html: [] }
    if (!pieceOf.has(key)) pieces.push(piece)
    pieceOf.set(key, piece)
    piece[kind].push(leaf)
  }
  return { pieces, attached }
}

/** Text that other programs take in: it is shown where nothing else is there, and is a file all the same. */
const FILES_TOO = new Set(['text/calendar', 'text/csv', 'text/vcard', 'text/x-vcard', 'text/directory'])

/** A single text part is always the body. Among others, a name marks a file (a patch, a log), except of the root of a multipart, of
 *  the only part that can be shown, or in an alternative: some mailers name the body too. */
function isBody(part: Part, { alone, isFile }: { alone: boolean; isFile: boolean }): boolean {
  if (alone) return part.disposition !== 'attachment' && part.type.startsWith('text/')
  return isDisplayable(part) && !isFile
}

function isDisplayable({ type, disposition }: Part): boolean {
  return disposition !== 'attachment' && (type === 'text/plain' || type === 'text/html')
}

/** Whether a named text is the main part of its multipart: of a related the root, which it names as its start or which is the first
 *  (RFC 2387, section 3.2). Of others it is the first part, or one that is not marked at all, if no text came before. */
function isMain(part: Part, parent: Part | undefined, isFirstText: boolean): boolean {
  if (parent?.type !== 'multipart/related') return isFirstText && (part.disposition === '' || parent?.parts[0] === part)
  const start = parent.parameters.get('start')?.replace(/^<|>$/g, '')
  const root = start ? parent.parts.find(({ contentId }) => contentId === start) : undefined
  return (root ?? parent.parts[0]) === part
}

/** Whether it is a picture that the HTML shows, by the Content-IDs that the HTML names. */
export function isShown(part: Part, shown: ReadonlySet<string>): boolean {
  return maybeShown(part) && shown.has(part.contentId ?? '')
}

/** Whether it is another form of the text, for programs that can show it, such as AMP. An invitation is more than that. */
export function isOtherForm({ type }: Part, within: readonly Part[]): boolean {
  return within.at(-1)?.type === 'multipart/alternative' && type.startsWith('text/') && type !== 'text/calendar'
}

/** Joins the pieces as one kind. A piece of the other kind only is converted, so that no part is missing; null if no piece has this
 *  kind. */
function joined(raw: Buffer, pieces: readonly Piece[], kind: 'text' | 'html'): string | null {
  if (!pieces.some((piece) => piece[kind].length > 0)) return null
  const turned = kind === 'text' ? htmlToText : textToHtml
  let left = mostTurned
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

function textToHtml(text: string): string {
  const escaped = text.trimEnd().replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return `<div>${escaped.replaceAll('\n', '<br>\n')}</div>`
}
