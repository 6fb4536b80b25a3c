import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type FilterTrial, type Label, tryOwnFilters } from '../../api/generated.ts'
import { LabelChip, Status } from '../../parts/chip.tsx'
import { ActionDialog } from '../../parts/dialog.tsx'
import { TextInput } from '../../parts/field.tsx'
import { folderName } from '../../parts/folder-name.ts'
import { labelsQuery } from '../labels/queries.ts'
import styles from './filters.module.css'

/** Shows what the filters would do with a message. Nothing is stored. */
export function Trial({ onClose }: { onClose: () => void }) {
  const [from, setFrom] = useState('')
  const [to, setTo] = useState('')
  const [subject, setSubject] = useState('')
  const [trial, setTrial] = useState<FilterTrial>()
  const attempt = async () => {
    setTrial(await tryOwnFilters({ message: { ...(from && { from }), ...(to && { to }), subject } }))
    return 'stay'
  }
  return (
    <ActionDialog
      title="Try on a message"
      about="As if it arrived in your own mailbox. Nothing is stored or sent."
      action="Try"
      fields={['message']}
      onSubmit={attempt}
      onClose={onClose}
    >
      <TextInput
        name="from"
        label="From"
        value={from}
        onChange={setFrom}
        placeholder="Ann <ann@books.example>"
        autoFocus
      />
      <TextInput name="to" label="To" value={to} onChange={setTo} />
      <TextInput name="subject" label="Subject" value={subject} onChange={setSubject} />
      {trial && <Result trial={trial} />}
    </ActionDialog>
  )
}

const reasons: Readonly<Record<string, string>> = {
  disabled: 'it is switched off',
  label_deleted: 'its label was deleted',
  earlier_move: 'a filter above it moves the message',
}

function Result({ trial: { matches, result } }: { trial: FilterTrial }) {
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
