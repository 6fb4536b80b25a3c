import { useState } from 'react'
import type { Row } from '../queries.ts'

export interface Selection {
  readonly ids: ReadonlySet<string>
  readonly toggle: (index: number) => void
  /** Also all between this one and the one selected before. */
  readonly extend: (index: number) => void
  readonly setAll: (rows: readonly Row[]) => void
  readonly clear: () => void
}

const none: ReadonlySet<string> = new Set()

/** The selected conversations of the list. */
export function useSelection(at: (index: number) => Row | undefined): Selection {
  const [ids, setIds] = useState(none)
  const [anchor, setAnchor] = useState<number>()
  const toggle = (index: number) => {
    const row = at(index)
    if (!row) return
    setAnchor(index)
    setIds((held) => {
      const next = new Set(held)
      if (!next.delete(row.id)) next.add(row.id)
      return next
    })
  }
  return {
    ids,
    toggle,
    extend: (index) => {
      if (anchor === undefined) return toggle(index)
      const [from, to] = [Math.min(anchor, index), Math.max(anchor, index)]
      const between = Array.from({ length: to - from + 1 }, (_, step) => at(from + step)?.id)
      setIds((held) => new Set([...held, ...between.filter((id) => id !== undefined)]))
    },
    setAll: (rows) => setIds(new Set(rows.map(({ id }) => id))),
    clear: () => {
      setIds(none)
      setAnchor(undefined)
    },
  }
}
