import { lazily } from '../../../parts/state/loading-parts.ts'
import { Part } from '../../../parts/state/part.tsx'
import { folderName } from '../../../parts/text/folder-name.ts'
import { count } from '../../../parts/text/size.ts'
import { ActionBar } from '../actions/action-bar.tsx'
import { isForWaste } from '../actions/erase.ts'
import { subjectOf } from '../actions/subject.ts'
import { useAnswers } from '../actions/use-answers.ts'
import { cachedRows } from '../cached.ts'
import type { Place } from '../place.ts'
import type { Row } from '../queries.ts'
import styles from './list-head.module.css'
import type { Selection } from './use-selection.ts'

const EmptyFolder = lazily(() => import('./empty-folder.tsx'))

interface Props {
  readonly place: Place
  readonly total: number | undefined
  readonly loaded: readonly Row[]
  readonly selection: Selection
  /** The conversation for keys if none is selected. */
  readonly focused: Row | undefined
}

/** The folder's name, the number of selected conversations, and their actions. */
export function ListHead({ place, total, loaded, selection, focused }: Props) {
  const selected = selection.ids.size === 0 ? [] : cachedRows(place).filter(({ id }) => selection.ids.has(id))
  const rows = selected.length > 0 ? selected : focused ? [focused] : []
  const all = loaded.length > 0 && loaded.every(({ id }) => selection.ids.has(id))
  // Drafts are gone on with, and an open conversation is answered there.
  const [only] = focused && rows.length === 1 && place.folder !== 'drafts' ? rows : []
  useAnswers(place, only?.ids.at(-1))
  return (
    <header className={styles.head}>
      <input
        type="checkbox"
        aria-label="Select all that are loaded"
        checked={all}
        disabled={loaded.length === 0}
        ref={(box) => {
          if (box) box.indeterminate = !all && selected.length > 0
        }}
        onChange={() => (selected.length > 0 ? selection.clear() : selection.setAll(cachedRows(place)))}
      />
      <div className={styles.title} data-selecting={selected.length > 0 || undefined}>
        <h1>{folderName(place.folder)}</h1>
        <span role="status" className={styles.count}>
          {selected.length > 0 ? `${count(selected.length)} selected` : total !== undefined && count(total)}
        </span>
      </div>
      <ActionBar
        place={place}
        subjects={rows.map((row) => subjectOf(row, row.messages))}
        shown={selected.length > 0}
        onLeave={selection.clear}
      />
      {selected.length === 0 && isForWaste(place.folder) && (
        <Part name="The button that empties the folder">
          <EmptyFolder place={place} />
        </Part>
      )}
    </header>
  )
}
