import { useQuery } from '@tanstack/react-query'
import type { FilterTrial, Label } from '../../api/generated.ts'
import { LabelChip, Status } from '../../parts/chip.tsx'
import { folderName } from '../../parts/folder-name.ts'
import { labelsQuery } from '../labels/queries.ts'
import styles from './filters.module.css'

const reasons: Readonly<Record<string, string>> = {
  disabled: 'it is switched off',
  label_deleted: 'its label was deleted',
  earlier_move: 'a filter above it moves the message',
}

/** Which filters match a message, on what, and what they make of it. */
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

interface EndingProps {
  readonly result: FilterTrial['result']
  readonly labels: readonly (Label & { readonly own: boolean })[]
}

/** What filters make of a message. */
export function Ending({ result: { folder, labels, starred, unread }, labels: known }: EndingProps) {
  return (
    <p>
      It ends in <strong>{folderName(folder)}</strong>
      {starred && ', starred'}
      {!unread && ', read'}.{' '}
      {known
        .filter(({ keyword }) => labels.includes(keyword))
        .map((label) => (
          <LabelChip key={label.keyword} {...label} />
        ))}
    </p>
  )
}
