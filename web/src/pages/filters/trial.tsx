import { useState } from 'react'
import { type FilterTrial, tryOwnFilters } from '../../api/generated.ts'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import { TextInput } from '../../parts/form/text-input.tsx'
import { TrialResult } from './trial-result.tsx'

/** Shows what the filters would do with a message that one types. Nothing is stored. */
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
      {trial && <TrialResult trial={trial} />}
    </ActionDialog>
  )
}
