import { useMutation, useQuery } from '@tanstack/react-query'
import type { Change } from '../../api/generated.ts'
import { Button } from '../../parts/form/button.tsx'
import { meQuery } from '../../session/me.ts'
import { mailKeys } from '../mail/queries.ts'
import { changeText } from './change-text.ts'
import { sayUndone, undo } from './undo.ts'

/** Undoes a change, or says why it cannot be undone. Not rendered if the member may not change all of its mailboxes. */
export function UndoButton({ change }: { change: Change }) {
  const undoing = useMutation({
    mutationFn: () => undo([change.id]),
    onSuccess: sayUndone,
    meta: { changes: [['changes'], ...change.mailboxes.flatMap(mailKeys)] },
  })
  const mailboxes = useQuery(meQuery).data?.mailboxes ?? []
  if (change.undone_by !== null) return 'Undone'
  if (change.state === 'running') return 'Still running'
  // Nothing to undo.
  if (change.state === 'failed' && change.messages === 0) return null
  const may = change.mailboxes.every((address) =>
    mailboxes.some((one) => one.address === address && one.level !== 'read'),
  )
  if (!may) return null
  return (
    <Button
      look="quiet"
      aria-label={`Undo ${changeText(change)}`}
      isPending={undoing.isPending}
      onPress={() => undoing.mutate()}
    >
      Undo
    </Button>
  )
}
