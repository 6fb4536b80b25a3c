import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import { Check } from '../../parts/form/check.tsx'
import { someMessages } from '../../parts/text/some-messages.ts'
import { sayChanged } from '../changes/say-changed.tsx'
import { labelCountsQuery, labelRequests } from './catalogue.ts'
import { type AnyLabel, labelsQuery } from './queries.ts'

export function DeleteLabel({ label, onClose }: { label: AnyLabel; onClose: () => void }) {
  const { id, name, keyword, own } = label
  const [everywhere, setEverywhere] = useState(false)
  const borne = useQuery(labelCountsQuery).data?.get(id)?.messages
  const remove = async () => {
    const { change_id } = await labelRequests(own).remove(id, everywhere ? { from_messages: true } : {})
    if (everywhere)
      void sayChanged(change_id ?? null, {
        doing: `Taking ${name} off`,
        done: (what) => `${name} was taken off ${what}`,
      })
  }
  return (
    <ActionDialog
      title={`Delete ${name}?`}
      about={
        <>
          {everywhere ? (
            'Undo puts the keyword back on messages, not the label.'
          ) : (
            <>
              Messages keep the keyword <code>{keyword}</code>.
            </>
          )}{' '}
          Filters that put this label on stay, and do nothing until a label of that name is there again.
        </>
      }
      action="Delete label"
      danger
      changes={[labelsQuery.queryKey]}
      onSubmit={remove}
      onClose={onClose}
    >
      {borne !== 0 && (
        <Check isSelected={everywhere} onChange={setEverywhere}>
          Take it off messages too, in mailboxes that you may change
          {typeof borne === 'number' && `: it is on ${someMessages(borne)} that you read`}
        </Check>
      )}
    </ActionDialog>
  )
}
