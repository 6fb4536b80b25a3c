import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type FilterTrial, testOwnFilters } from '../../api/generated.ts'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import { Choice } from '../../parts/form/choice.tsx'
import { TextInput } from '../../parts/form/text-input.tsx'
import { plain } from '../../parts/text/plain.ts'
import { meQuery } from '../../session/me.ts'
import { personName } from '../mail/people.ts'
import { TrialResult } from './trial-result.tsx'
import { newestQuery, tryMessage } from './try-message.ts'

/** The choice of a typed message. */
const typed = 'typed'

/** Shows the effect of the filters on a typed message, or on one that has arrived. Nothing is stored. */
export function Trial({ onClose }: { onClose: () => void }) {
  const mailbox = useQuery(meQuery).data?.mailboxes.find(({ kind }) => kind === 'smart')?.address
  const arrived = useQuery({ ...newestQuery(mailbox ?? ''), enabled: mailbox !== undefined }).data?.data ?? []
  const [chosen, choose] = useState(typed)
  const [from, setFrom] = useState('')
  const [to, setTo] = useState('')
  const [subject, setSubject] = useState('')
  const [trial, setTrial] = useState<FilterTrial>()
  const attempt = async () => {
    const message = { ...(from && { from }), ...(to && { to }), subject }
    const isTyped = chosen === typed || mailbox === undefined
    setTrial(isTyped ? await testOwnFilters({ message }) : (await tryMessage(chosen)).trial)
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
      {arrived.length > 0 && (
        <Choice
          name="chosen"
          label="Message"
          value={chosen}
          onChange={(next) => {
            choose(next)
            setTrial(undefined)
          }}
          options={[
            { id: typed, name: 'One that I type' },
            ...arrived.map((message) => ({
              id: message.id,
              name: `${plain(message.subject) || '(no subject)'}, from ${personName(message.from)}`,
            })),
          ]}
        />
      )}
      {chosen === typed && (
        <>
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
        </>
      )}
      {trial && <TrialResult trial={trial} />}
    </ActionDialog>
  )
}
