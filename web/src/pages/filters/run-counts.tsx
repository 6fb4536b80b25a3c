import { ProgressBar } from 'react-aria-components/ProgressBar'
import type { FilterRunItem } from '../../api/generated.ts'
import styles from './runs.module.css'

/** The progress and results of a run. `away`: the service did not answer the last request. */
export function RunCounts({ run, away }: { run: FilterRunItem; away: boolean }) {
  const { finished_at, total, seen, last_error } = run
  const ended = finished_at !== null
  return (
    <>
      {!ended && (
        <ProgressBar
          aria-label="Messages looked at"
          value={seen}
          maxValue={Math.max(1, total ?? 1)}
          isIndeterminate={total === null}
          className={`${styles.progress}`}
        >
          {({ percentage = 0 }) => (
            <div className={styles.track}>
              <div className={styles.bar} style={{ width: `${percentage}%` }} />
            </div>
          )}
        </ProgressBar>
      )}
      <p role="status">
        {total === null ? 'Counting the messages' : `${number(seen)} of ${number(total)} messages looked at`}
        {'. '}
        {seen > 0 && sentence(run)}
      </p>
      {last_error !== null && (
        <p role="alert" className={styles.failed}>
          {ended ? `It failed: ${last_error}.` : `${last_error}. It is tried again.`}
        </p>
      )}
      {away && !ended && <p role="alert">The service cannot be reached now. The run continues without this page.</p>}
    </>
  )
}

/** "3 match, 2 are changed: 1 moved, 1 starred." */
export function sentence(run: FilterRunItem): string {
  const { matched, changed, moved, labelled, starred, read, preview } = run
  const each = Object.entries({ moved, labelled, starred, 'marked read': read }).filter(([, count]) => count > 0)
  const what = each.map(([name, count]) => `${number(count)} ${name}`).join(', ')
  if (matched === 0) return 'None matches.'
  const how = `${preview ? 'would be' : changed === 1 ? 'was' : 'were'} changed`
  return `${number(matched)} ${matched === 1 ? 'matches' : 'match'}, ${number(changed)} ${how}${what && `: ${what}`}.`
}

const number = (count: number) => count.toLocaleString()
