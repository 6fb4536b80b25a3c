import { useQuery } from '@tanstack/react-query'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import { Loaded } from '../../parts/state/loaded.tsx'
import { RunProgress } from './run-progress.tsx'
import { runQuery } from './run-queries.ts'

interface Props {
  readonly title: string
  readonly own: boolean
  readonly id: string
  readonly onClose: () => void
}

/** An active or ended run. Closing the dialog does not stop it. */
export function RunShown({ title, own, id, onClose }: Props) {
  const query = useQuery(runQuery(own, id))
  return (
    <ActionDialog title={title} action="Close" informs onSubmit={async () => {}} onClose={onClose}>
      <Loaded query={query} what="the run">
        {(run) => <RunProgress run={run} own={own} away={query.isError} />}
      </Loaded>
    </ActionDialog>
  )
}
