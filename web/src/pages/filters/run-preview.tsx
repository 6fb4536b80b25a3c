import { useQuery } from '@tanstack/react-query'
import type { FilterRun } from '../../api/generated.ts'
import { folderName } from '../../parts/text/folder-name.ts'
import { labelsQuery } from '../labels/queries.ts'
import { Ending } from './ending.tsx'
import { RunCounts } from './run-counts.tsx'
import styles from './runs.module.css'

/** The expected effect of a run: its counts, and the first messages that match. */
export function RunPreview({ run, away }: { run: FilterRun; away: boolean }) {
  const labels = useQuery(labelsQuery).data ?? []
  return (
    <div className={styles.run}>
      <RunCounts run={run} away={away} />
      {run.sample.length > 0 && (
        <>
          <p>{run.matched > run.sample.length ? `The first ${run.sample.length} that match:` : 'Those that match:'}</p>
          {/* It scrolls, so those without a mouse must be able to go there. */}
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls takes the focus */}
          <ul className={styles.sample} tabIndex={0} aria-label="Messages that match">
            {run.sample.map(({ id, mailbox, folder, uid, subject, matches, result }) => (
              <li key={id ?? `${mailbox} ${folder} ${uid}`}>
                <strong>{subject || 'No subject'}</strong>
                <span className={styles.soft}>
                  {mailbox}, {folderName(folder)}:{' '}
                  {matches.map(({ filter_id, name, matched_text }, index) => (
                    <span key={filter_id}>
                      {index > 0 && ', '}
                      {name} matches <q>{matched_text}</q>
                    </span>
                  ))}
                </span>
                <Ending result={result} labels={labels} />
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}
