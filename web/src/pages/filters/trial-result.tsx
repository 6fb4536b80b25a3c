import { useQuery } from '@tanstack/react-query'
import type { FilterTrial } from '../../api/generated.ts'
import { Status } from '../../parts/text/status.tsx'
import { labelsQuery } from '../labels/queries.ts'
import { Ending } from './ending.tsx'
import styles from './filters.module.css'

const reasons: Readonly<Record<string, string>> = {
  disabled: 'it is switched off',
  label_deleted: 'its label was deleted',
  earlier_move: 'a filter above it moves the message',
}

/** The filters that match a message, the text they match, and their effect. */
export function TrialResult({ trial: { matches, result } }: { trial: FilterTrial }) {
  const labels = useQuery(labelsQuery).data ?? []
  return (
    <div className={styles.result} role="status">
      <Ending result={result} labels={labels} />
      {matches.length === 0 && <p>No filter matches.</p>}
      <ul>
        {matches.map(({ filter_id, name, matched_text, applied, reason }) => (
          <li key={filter_id}>
            <Status is={applied ? 'good' : 'plain'}>{name}</Status> matches <q>{matched_text}</q>
            {!applied && reason !== null && `, but ${reasons[reason] ?? reason}`}
          </li>
        ))}
      </ul>
    </div>
  )
}
