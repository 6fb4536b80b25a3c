import { useMutation, useQuery } from '@tanstack/react-query'
import { type FilterRun, undoChange } from '../../api/generated.ts'
import { Button } from '../../parts/form/button.tsx'
import { changeQuery } from '../changes/queries.ts'
import { RunCounts } from './run-counts.tsx'
import { cancelRun, runsQuery } from './run-queries.ts'
import styles from './runs.module.css'

interface Props {
  readonly run: FilterRun
  readonly own: boolean
  readonly away: boolean
}

/** The state of a run, with buttons to cancel and undo it. */
export function RunProgress({ run, own, away }: Props) {
  const stop = useMutation({ mutationFn: () => cancelRun(own, run.id), meta: { changes: [runsQuery.queryKey] } })
  const ended = run.finished_at !== null
  return (
    <div className={styles.run}>
      <RunCounts run={run} away={away} />
      {run.state === 'cancelled' && <p>It was stopped. Changes until then stay.</p>}
      {!ended && run.state === 'running' && (
        <div>
          <Button isPending={stop.isPending} onPress={() => stop.mutate()}>
            Stop it
          </Button>
        </div>
      )}
      {ended && run.change_id !== null && <Undo changeId={run.change_id} />}
    </div>
  )
}

function Undo({ changeId }: { changeId: string }) {
  const query = useQuery(changeQuery(changeId))
  const undo = useMutation({
    mutationFn: () => undoChange(changeId),
    meta: { changes: [changeQuery(changeId).queryKey, runsQuery.queryKey] },
  })
  const undoId = query.data?.undone_by ?? undefined
  if (undoId !== undefined) return <Undone id={undoId} />
  if (!query.data) return null
  return (
    <div>
      <Button isPending={undo.isPending} onPress={() => undo.mutate()}>
        Undo all of it
      </Button>
    </div>
  )
}

function Undone({ id }: { id: string }) {
  const { data } = useQuery({
    ...changeQuery(id),
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? 1_000 : false),
  })
  if (!data) return null
  const { state, messages, left_alone } = data
  return (
    <p role="status">
      {state === 'running' ? 'It is being undone' : 'It is undone'}: {messages.toLocaleString()} messages are as before
      {left_alone > 0 && `; ${left_alone.toLocaleString()} were changed since and are left as they are`}.
    </p>
  )
}
