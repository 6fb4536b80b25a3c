import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { deleteMailbox } from '../../api/generated.ts'
import { queryClient } from '../../app/query-client.ts'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import { TextInput } from '../../parts/form/text-input.tsx'
import { mailboxesQuery } from '../mailboxes/queries.ts'
import { mailboxQuery } from './queries.ts'

export function DeleteMailbox({ address, onClose }: { address: string; onClose: () => void }) {
  const [typed, setTyped] = useState('')
  const navigate = useNavigate()
  const remove = async () => {
    await deleteMailbox(address)
    await navigate({ to: '/mailboxes' })
    queryClient.removeQueries({ queryKey: mailboxQuery(address).queryKey })
  }
  return (
    <ActionDialog
      title={`Delete ${address}?`}
      about="All its mail is gone for good. What it has scheduled is not sent. This cannot be undone."
      action="Delete mailbox and mail"
      danger
      ready={typed.trim().toLowerCase() === address}
      changes={[mailboxesQuery.queryKey]}
      onSubmit={remove}
      onClose={onClose}
    >
      <TextInput
        name="address"
        label="Type its address"
        value={typed}
        onChange={setTyped}
        autoFocus
        autoComplete="off"
      />
    </ActionDialog>
  )
}
