import { useNavigate } from '@tanstack/react-router'
import { type Rect, useVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, useCallback, useDeferredValue, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useActions } from '../../../parts/actions/use-actions.ts'
import { useSettled } from '../../../parts/form/use-settled.ts'
import { afterPaint } from '../../../parts/state/after-paint.ts'
import { ahead } from '../../../parts/state/ahead.ts'
import { Empty } from '../../../parts/state/empty.tsx'
import { Failure } from '../../../parts/state/failure.tsx'
import { Loading } from '../../../parts/state/loading.tsx'
import { folderName } from '../../../parts/text/folder-name.ts'
import { write } from '../../write/beginning/opening.ts'
import { useMayWrite } from '../../write/sending/use-may-write.ts'
import { star } from '../actions/actions.ts'
import { subjectOf } from '../actions/subject.ts'
import { listActions } from '../actions/table.ts'
import { useMayChange } from '../actions/use-may-change.ts'
import { cachedRows } from '../cached.ts'
import type { Place } from '../place.ts'
import type { Row } from '../queries.ts'
import { useLabelNames } from '../use-label-names.ts'
import { ListHead } from './list-head.tsx'
import { ListRow } from './list-row.tsx'
import { loadAhead } from './load-ahead.ts'
import { Suspended } from './suspended.tsx'
import styles from './thread-list.module.css'
import { useRowHeight } from './use-row-height.ts'
import { useRows } from './use-rows.ts'
import { useSelection } from './use-selection.ts'

interface Props {
  readonly place: Place
  /** A message of the conversation that is open beside the list. */
  readonly opened: string | undefined
  /** Whether it has its place beside the conversation already. */
  readonly isBeside: boolean
}

/** As many rows are painted before the others are rendered, so that no task of the browser is long. */
const firstRows = 10

/** The conversations of a folder. Only visible ones are rendered and loaded. */
export function ThreadList({ place, opened, isBeside }: Props) {
  const navigate = useNavigate()
  const scroller = useRef<HTMLDivElement>(null)
  const height = useRowHeight(scroller, isBeside)
  const [seen, setSeen] = useState({ first: 0, last: 0 })
  const rows = useRows(place, seen.first, seen.last)
  // The first rows are rendered piece by piece, so that the page answers to keys in between.
  const total = useDeferredValue(rows.total ?? 0, 0)
  const [active, setActive] = useState(0)
  const mayChange = useMayChange(place.mailbox)
  const labelNames = useLabelNames()
  const virtual = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    // Its own measurement would make the browser lay out the page again.
    observeElementRect: observeSize,
    initialRect: { width: 0, height: 800 },
    overscan: 4,
    onChange: ({ range }) => {
      const [first, last] = [range?.startIndex ?? 0, range?.endIndex ?? 0]
      setSeen((held) => (held.first === first && held.last === last ? held : { first, last }))
    },
  })
  const heightBefore = useRef(height)
  // Where the rows become higher, the row at hand keeps its place in the window, or else the topmost one.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is about the height alone
  useLayoutEffect(() => {
    const [before, offset] = [heightBefore.current, virtual.scrollOffset ?? 0]
    heightBefore.current = height
    const y = active * before - offset
    const isSeen = y > -before && y < (virtual.scrollRect?.height ?? 0)
    const anchored = Math.max(0, offset + (isSeen ? active : offset / before) * (height - before))
    if (anchored !== offset && scroller.current) {
      scroller.current.scrollTop = anchored
      virtual.scrollOffset = anchored
    }
    virtual.measure()
  }, [height])
  const selection = useSelection(rows.at)
  const latest = useRef(selection)
  latest.current = selection
  const onSelect = useCallback((index: number, extend: boolean) => {
    const { toggle, extend: upTo } = latest.current
    setActive(index)
    if (extend) upTo(index)
    else toggle(index)
  }, [])
  const onStar = useCallback((row: Row) => void star(place, [subjectOf(row, row.messages)]), [place])

  const writes = useMayWrite(place.mailbox) && place.folder === 'drafts'
  const onOpen = useCallback(
    (row: Row) => {
      const [first, newest] = [row.ids[0], row.ids.at(-1)]
      if (writes && newest !== undefined) write({ what: 'draft', place, id: newest })
      else if (first !== undefined)
        void navigate({ to: '/mail/$mailbox/$folder/$message', params: { ...place, message: first } })
    },
    [navigate, place, writes],
  )

  const focusRow = (index: number) => {
    const next = Math.max(0, Math.min(total - 1, index))
    setActive(next)
    virtual.scrollToIndex(next)
    const focus = () => {
      const found = scroller.current?.querySelector<HTMLElement>(`[aria-rowindex="${next + 1}"]`)
      found?.focus({ preventScroll: true })
      return found != null
    }
    // A distant row is scrolled into view first.
    if (!focus()) requestAnimationFrame(focus)
  }
  const isOpened = (row: Row | undefined) => opened !== undefined && (row?.ids.includes(opened) ?? false)
  // When a conversation is closed, its row gets the focus.
  const last = useRef(opened)
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is about what is opened and closed
  useEffect(() => {
    const index = cachedRows(place).findIndex((row) => isOpened(row))
    if (isOpened(rows.at(index))) setActive(index)
    if (opened === undefined && last.current !== undefined) focusRow(active)
    last.current = opened
  }, [opened])
  const open = (index: number) => {
    const row = rows.at(index)
    if (row) onOpen(row)
  }
  // Loads the page of a conversation while the list loads.
  useEffect(() => afterPaint(() => ahead(() => import('../conversation.tsx'))), [])
  // After opening one, its neighbours are loaded. In the list, keys pass most rows by.
  const settled = useSettled(rows.at(active)?.ids[0])
  const likely = opened ?? settled
  useEffect(() => {
    if (likely === undefined) return
    return afterPaint(() => void loadAhead(place, likely))
  }, [place, likely])
  const isInList = () => scroller.current?.contains(document.activeElement) ?? false
  const ofList = {
    step: (by: number) => focusRow(isInList() ? active + by : active),
    open: () => open(active),
    select: () => selection.toggle(active),
    selectUpTo: () => selection.extend(active),
    selectNone: selection.clear,
    again: rows.again,
  }
  useActions(listActions, opened === undefined ? ofList : undefined)
  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / height) - 1)
    const moves: Record<string, number> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + page,
      PageUp: active - page,
      Home: 0,
      End: total - 1,
    }
    const to = moves[event.key]
    if (to !== undefined) focusRow(to)
    else if (event.key === 'Enter') open(active)
    else if (event.key === ' ') onSelect(active, event.shiftKey)
    else return
    event.preventDefault()
  }
  const layout = total > 0 ? height : undefined
  const [painted, setPainted] = useState<number>()
  useEffect(() => afterPaint(() => setPainted(layout)), [layout])
  const items = virtual.getVirtualItems().slice(0, painted === layout ? undefined : firstRows)
  // The row that the keyboard reaches first is always rendered.
  const reachable = items.some(({ index }) => index === active) ? active : items[0]?.index
  const loaded = items.flatMap(({ index }) => rows.at(index) ?? [])
  return (
    <section className={styles.list} aria-label={folderName(place.folder)}>
      <ListHead
        place={place}
        total={rows.total}
        loaded={loaded}
        selection={selection}
        focused={opened === undefined ? rows.at(active) : undefined}
      />
      <Suspended mailbox={place.mailbox} />
      {!rows.error && rows.total === undefined && <Loading what="conversations" />}
      {rows.error && rows.total === undefined && <Failure error={rows.error} what="conversations" again={rows.again} />}
      {rows.total === 0 && <Empty title={emptyTitle(place.folder)} about={emptyAbout(place.folder)} />}
      <div ref={scroller} className={styles.scroller} data-empty={!rows.total || undefined}>
        <div
          role="grid"
          aria-label="Conversations"
          aria-multiselectable="true"
          aria-rowcount={total}
          aria-busy={rows.total === undefined}
          onKeyDown={onKeyDown}
          style={{ height: total * height }}
          className={styles.grid}
        >
          {items.map(({ index }) => {
            const row = rows.at(index)
            return (
              <ListRow
                key={index}
                {...{ place, row, index, height, labelNames, onSelect, onOpen }}
                top={index * height}
                onFocus={setActive}
                onStar={mayChange ? onStar : undefined}
                isSelected={row !== undefined && selection.ids.has(row.id)}
                isOpened={isOpened(row)}
                isReachable={index === reachable}
              />
            )
          })}
        </div>
      </div>
    </section>
  )
}

function observeSize({ scrollElement }: Virtualizer<HTMLDivElement, Element>, changed: (rect: Rect) => void) {
  if (!scrollElement) return
  const observer = new ResizeObserver(() => {
    changed({ width: scrollElement.clientWidth, height: scrollElement.clientHeight })
  })
  observer.observe(scrollElement)
  return () => observer.disconnect()
}

const emptyTitle = (folder: string) => (folder === 'inbox' ? 'Your inbox is empty' : `Nothing in ${folderName(folder)}`)

function emptyAbout(folder: string): string {
  if (folder === 'inbox') return 'What arrives is shown here at once.'
  if (folder === 'junk') return 'What fails the checks of its sender’s domain comes here.'
  return 'What you move here is shown here.'
}
