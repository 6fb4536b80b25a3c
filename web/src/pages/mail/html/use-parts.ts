import { useEffect, useMemo, useState } from 'react'
import { afterPaint } from '../../../parts/state/after-paint.ts'
import { type FrameDocument, frameDocument, isWithoutColours } from './frame-document.ts'
import { htmlParts } from './html-parts.ts'
import { liftedPieces } from './lift-styles.ts'
import { pageNonce } from './nonce.ts'
import { type Sanitized, sanitizeLifted, sheetsOf } from './sanitize.ts'

type Pictures = ReadonlyMap<string, string>

interface Asked {
  readonly html: string
  readonly own: Pictures
  readonly remote: Pictures
  readonly quoted: boolean
}

interface Part extends FrameDocument, Pick<Sanitized, 'leftOut' | 'remote' | 'pictures'> {}

interface Parts {
  readonly parts: readonly Part[]
  readonly leftOut: number
  readonly addresses: readonly string[]
  /** The Content-IDs of the message's own pictures that it shows; undefined until all parts are made. */
  readonly pictures: ReadonlySet<string> | undefined
  /** Reports that a part is shown, with its height. */
  readonly onMeasured: (index: number) => void
}

/** The documents of a message's HTML, of which most have one. The parts of a long one are made one after the other, the next once
 *  the last is shown, so that the page can be used meanwhile. */
export function useParts({ html, own, remote, quoted }: Asked): Parts {
  const lifted = useMemo(() => liftedPieces(html), [html])
  const sheets = useMemo(() => sheetsOf(lifted.css, remote), [lifted, remote])
  const { selectors } = sheets
  const cut = useMemo(
    () => ({
      parts: htmlParts(lifted.pieces, selectors),
      isPlain: lifted.pieces.every((piece) => isTextOrPlain(piece)),
    }),
    [lifted, selectors],
  )
  const { first, make } = useMemo(() => {
    // Parts look alike, so one decides for all.
    const isPlain = cut.parts.length > 1 ? cut.isPlain && isWithoutColours(sheets.sheets, '') : undefined
    const make = (part: string): Part => {
      const sanitized = sanitizeLifted(part, own, remote)
      const document = frameDocument({ ...sanitized, sheets: sheets.sheets }, pageNonce(), isPlain)
      const { leftOut, remote: addresses, pictures } = sanitized
      return { ...document, leftOut, remote: addresses, pictures }
    }
    return { first: make(cut.parts[0] ?? ''), make }
  }, [cut, sheets, own, remote])
  const [rest, setRest] = useState<{ readonly by: typeof make; readonly parts: readonly Part[] }>()
  const [measured, setMeasured] = useState(0)
  const parts = useMemo(() => [first, ...(rest?.by === make ? rest.parts : [])], [first, rest, make])
  const isShown = partShown(parts.at(-1), parts.length - 1, quoted) === undefined || measured >= parts.length
  const next = isShown ? cut.parts[parts.length] : undefined
  useEffect(() => {
    if (next === undefined) return
    return afterPaint(() => setRest({ by: make, parts: [...parts.slice(1), make(next)] }))
  }, [next, make, parts])
  const isAll = parts.length === cut.parts.length
  const pictures = useMemo(() => (isAll ? new Set(parts.flatMap((part) => part.pictures)) : undefined), [isAll, parts])
  return {
    parts,
    pictures,
    leftOut: parts.reduce((sum, part) => sum + part.leftOut, sheets.leftOut),
    addresses: [...new Set([...sheets.remote, ...parts.flatMap((part) => part.remote)])],
    onMeasured: (index) => setMeasured((before) => Math.max(before, index + 1)),
  }
}

/** The shown document of a part; undefined for one that only continues a folded quotation. */
export function partShown(part: FrameDocument | undefined, index: number, quoted: boolean): string | undefined {
  if (part === undefined || quoted) return part?.html
  return part.isAllQuoted && index > 0 ? undefined : (part.unquoted ?? part.html)
}

function isTextOrPlain(piece: string): boolean {
  return !piece.startsWith('<') || !/color|background/i.test(piece)
}
