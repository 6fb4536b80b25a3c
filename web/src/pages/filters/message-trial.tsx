import { useQuery } from '@tanstack/react-query'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import { Loaded } from '../../parts/state/loaded.tsx'
import { TrialResult } from './trial-result.tsx'
import { tryMessage } from './try-message.ts'

/** Shows the effect of the current filters on a stored message. Nothing changes. */
export function MessageTrial({ of, onClose }: { of: string; onClose: () => void }) {
  const query = useQuery({ queryKey: ['filters', 'trial', of], queryFn: () => tryMessage(of), staleTime: 0, gcTime: 0 })
  return (
    <ActionDialog
      title="Try on this message"
      about="As if it arrived now in your own mailbox. Nothing is stored or sent."
      action="Close"
      informs
      onSubmit={async () => {}}
      onClose={onClose}
    >
      <Loaded query={query} what="what the filters do">
        {({ subject, trial }) => (
          <>
            <p>
              <q>{subject}</q>
            </p>
            <TrialResult trial={trial} />
          </>
        )}
      </Loaded>
    </ActionDialog>
  )
}
