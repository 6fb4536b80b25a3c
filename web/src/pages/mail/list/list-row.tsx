import { memo } from 'react'
import type { Place } from '../place.ts'
import type { Row } from '../queries.ts'
import { loadAhead } from './load-ahead.ts'
import { RowContent, spoken } from './row-content.tsx'
import styles from './thread-list.module.css'

interface Props {
  readonly place: Place
  /** Undefined while it is loading. */
  readonly row: Row | undefined
  readonly index: number
  readonly top: number
  readonly height: number
  readonly isSelected: boolean
  /** Whether it is open beside the list. */
  readonly isOpened: boolean
  readonly isReachable: boolean
  /** Names of labels, by keyword. */
  readonly labelNames: ReadonlyMap<string, string>
  readonly onFocus: (index: number) => void
  readonly onSelect: (index: number, extend: boolean) => void
  /** Undefined if nothing may be changed. */
  readonly onStar: ((row: Row) => void) | undefined
  readonly onOpen: (row: Row) => void
}

/** A row of the list. It is rendered again only if it has changed: opening a conversation changes two rows. */
export const ListRow = memo(function ListRow(props: Props) {
  const { place, row, index, top, height, isSelected, isOpened, isReachable, labelNames, onFocus, ...acts } = props
  return (
    <div
      role="row"
      aria-rowindex={index + 1}
      aria-selected={isSelected}
      aria-current={isOpened}
      aria-label={row ? spoken(row, place, labelNames) : 'Loading'}
      tabIndex={isReachable ? 0 : -1}
      onFocus={() => onFocus(index)}
      // The button is still pressed.
      onMouseDown={() => row?.ids[0] && void loadAhead(place, row.ids[0])}
      data-unread={row?.unread || undefined}
      className={styles.row}
      style={{ height, transform: `translateY(${top}px)` }}
    >
      {row ? (
        <RowContent {...acts} {...{ place, row, index, isSelected }} />
      ) : (
        <div role="gridcell" className={styles.blank} />
      )}
    </div>
  )
})
