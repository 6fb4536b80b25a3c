import { useNavigate } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, useCallback, useEffect, useRef, useState } from 'react'
import { folderName } from '../../parts/folder-name.ts'
import { useKeys } from '../../parts/keys.ts'
import { Empty, Failure } from '../../parts/states.tsx'
import { write } from '../write/opening.ts'
import { useMayWrite } from '../write/use-may-write.ts'
import { star } from './actions.ts'
import { cachedRows } from './cached.ts'
import { ListHead } from './list-head.tsx'
import type { Place } from './place.ts'
import type { Row } from './queries.ts'
import { RowContent, spoken } from './row.tsx'
import { subjectOf } from './subject.ts'
import styles from './thread-list.module.css'
import { useLabelNames } from './use-label-names.ts'
import { useMayChange } from './use-may-change.ts'
import { useRowHeight } from './use-row-height.ts'
import { useRows } from './use-rows.ts'
import { useSelection } from './use-selection.ts'

interface Props {
  readonly place: Place
  /** The conversation that is shown beside the list. */
  readonly opened: string | undefined
}

/** The conversations of a folder, of which only those in sight are in the page and are asked for. */
export function ThreadList({ place, opened }: Props) {
  const navigate = useNavigate()
  const scroller = useRef<HTMLDivElement>(null)
  const height = useRowHeight(scroller)
  const [seen, setSeen] = useState({ first: 0, last: 0 })
  const rows = useRows(place, seen.first, seen.last)
  const total = rows.total ?? 0
  const [active, setActive] = useState(0)
  const mayChange = useMayChange(place.mailbox)
  const labelNames = useLabelNames()
  const virtual = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 8,
    onChange: ({ range }) => {
      const [first, last] = [range?.startIndex ?? 0, range?.endIndex ?? 0]
      setSeen((held) => (held.first === first && held.last === last ? held : { first, last }))
    },
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows are as high as the list is wide
  useEffect(() => virtual.measure(), [height])
  const selection = useSelection(rows.at)
  const latest = useRef({ selection, place })
  latest.current = { selection, place }
  const onSelect = useCallback((index: number, extend: boolean) => {
    const { toggle, extend: upTo } = latest.current.selection
    setActive(index)
    if (extend) upTo(index)
    else toggle(index)
  }, [])
  const onStar = useCallback((row: Row) => void star(latest.current.place, [subjectOf(row, row.messages)]), [])

  const writes = useMayWrite(place.mailbox) && place.folder === 'drafts'
  const onWrite = useCallback((row: Row) => {
    const uid = row.uids.at(-1)
    if (uid !== undefined) write({ what: 'draft', place: latest.current.place, uid })
  }, [])

  const focusRow = (index: number) => {
    const next = Math.max(0, Math.min(total - 1, index))
    setActive(next)
    virtual.scrollToIndex(next)
    const focus = () => {
      const found = scroller.current?.querySelector<HTMLElement>(`[aria-rowindex="${next + 1}"]`)
      found?.focus({ preventScroll: true })
      return found != null
    }
    // One that is far away comes into the page first.
    if (!focus()) requestAnimationFrame(focus)
  }
  // From a conversation the keyboard comes back to its row.
  const last = useRef(opened)
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is about what is opened and closed
  useEffect(() => {
    const index = cachedRows(place).findIndex(({ id }) => id === opened)
    if (opened !== undefined && rows.at(index)?.id === opened) setActive(index)
    if (opened === undefined && last.current !== undefined) focusRow(active)
    last.current = opened
  }, [opened])
  const open = (index: number) => {
    const row = rows.at(index)
    if (row && writes) onWrite(row)
    else if (row) void navigate({ to: '/mail/$mailbox/$folder/$thread', params: { ...place, thread: row.id } })
  }
  const isInList = () => scroller.current?.contains(document.activeElement) ?? false
  useKeys(
    opened !== undefined
      ? {}
      : {
          j: () => focusRow(isInList() ? active + 1 : active),
          k: () => focusRow(isInList() ? active - 1 : active),
          o: () => open(active),
          x: () => selection.toggle(active),
          u: rows.again,
          Escape: selection.clear,
        },
  )
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
  const items = virtual.getVirtualItems()
  // The row that the keyboard comes to first is always in the page.
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
      {rows.error && rows.total === undefined && <Failure error={rows.error} what="conversations" again={rows.again} />}
      {rows.total === 0 && <Empty title={emptyTitle(place.folder)} about={emptyAbout(place.folder)} />}
      <div ref={scroller} className={styles.scroller} data-empty={total === 0 || undefined}>
        <div
          role="grid"
          aria-label="Conversations"
          aria-multiselectable="true"
          aria-rowcount={total}
          aria-busy={rows.total === undefined}
          onKeyDown={onKeyDown}
          style={{ height: virtual.getTotalSize() }}
          className={styles.grid}
        >
          {items.map(({ index, start }) => {
            const row = rows.at(index)
            return (
              <div
                key={index}
                role="row"
                aria-rowindex={index + 1}
                aria-selected={row !== undefined && selection.ids.has(row.id)}
                aria-current={row !== undefined && row.id === opened}
                aria-label={row ? spoken(row, place, labelNames) : 'Loading'}
                tabIndex={index === reachable ? 0 : -1}
                onFocus={() => setActive(index)}
                data-unread={row?.unread || undefined}
                className={styles.row}
                style={{ height, transform: `translateY(${start}px)` }}
              >
                {row ? (
                  <RowContent
                    {...{ place, row, index, onSelect }}
                    onStar={mayChange ? onStar : undefined}
                    onOpen={writes ? onWrite : undefined}
                    isSelected={selection.ids.has(row.id)}
                  />
                ) : (
                  <div role="gridcell" className={styles.blank} />
                )}
              </div>
            )
          })}
        </div>
      </div>
    </section>
  )
}

const emptyTitle = (folder: string) => (folder === 'inbox' ? 'Your inbox is empty' : `Nothing in ${folderName(folder)}`)

function emptyAbout(folder: string): string {
  if (folder === 'inbox') return 'What arrives is shown here at once.'
  if (folder === 'junk') return 'What fails the checks of its sender’s domain comes here.'
  return 'What you move here is shown here.'
}
