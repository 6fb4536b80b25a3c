import { useQuery } from '@tanstack/react-query'
import { readHeaders, tryOwnFilters } from '../../api/generated.ts'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import { Loaded } from '../../parts/state/loaded.tsx'
import { TrialResult } from './trial-result.tsx'

/** A message of a mailbox. */
export interface Tried {
  readonly mailbox: string
  readonly folder: string
  readonly uid: number
}

/** What filters look at. */
const looked = ['from', 'sender', 'to', 'cc', 'subject']

/** Shows what the filters, as they are now, would do with a message that is there. Nothing is stored. */
export function MessageTrial({ of, onClose }: { of: Tried; onClose: () => void }) {
  const query = useQuery({ queryKey: ['filters', 'trial', of], queryFn: () => attempt(of), staleTime: 0, gcTime: 0 })
  return (
    <ActionDialog
      title="Try on this message"
      about="As if it arrived now in your own mailbox. Nothing is stored or sent."
      action="Close"
      telling
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

async function attempt({ mailbox, folder, uid }: Tried) {
  const { data } = await readHeaders(uid, { mailbox, folder })
  const fields = data.filter(({ name }) => looked.includes(name.toLowerCase()))
  const message = `${fields.map(({ name, raw }) => `${name}: ${raw.trim()}\r\n`).join('')}\r\n`
  const subject = fields.find(({ name }) => name.toLowerCase() === 'subject')?.value ?? ''
  return { subject: subject || '(no subject)', trial: await tryOwnFilters({ message }) }
}
