import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type FilterRun, undoChange } from '../../api/generated.ts'
import { Button } from '../../parts/form/button.tsx'
import { sayFailure } from '../../parts/state/toasts.ts'
import { changeQuery } from '../changes/queries.ts'
import { RunCounts } from './run-counts.tsx'
import { cancelRun, runsChanged } from './run-queries.ts'
import styles from './runs.module.css'

interface Props {
  readonly run: FilterRun
  readonly own: boolean
  readonly away: boolean
}

/** The state of a run, with buttons to cancel and undo it. */
export function RunProgress({ run, own, away }: Props) {
  const [busy, setBusy] = useState(false)
  const attempt = async (what: () => Promise<unknown>) => {
    setBusy(true)
    try {
      await what()
    } catch (error) {
      sayFailure(error)
    } finally {
      await runsChanged()
      setBusy(false)
    }
  }
  const ended = run.finished_at !== null
  return (
    <div className={styles.run}>
      <RunCounts run={run} away={away} />
      {run.state === 'cancelled' && <p>It was stopped. Changes until then stay.</p>}
      {!ended && run.state === 'running' && (
        <div>
          <Button isPending={busy} onPress={() => void attempt(() => cancelRun(own, run.id))}>
            Stop it
          </Button>
        </div>
      )}
      {ended && run.change_id !== null && <Undo changeId={run.change_id} busy={busy} attempt={attempt} />}
    </div>
  )
}

interface UndoProps {
  readonly changeId: string
  readonly busy: boolean
  readonly attempt: (what: () => Promise<unknown>) => Promise<void>
}

function Undo({ changeId, busy, attempt }: UndoProps) {
  const query = useQuery(changeQuery(changeId))
  const undoId = query.data?.undone_by ?? undefined
  if (undoId !== undefined) return <Undone id={undoId} />
  const undo = async () => {
    await undoChange(changeId)
    await query.refetch()
  }
  if (!query.data) return null
  return (
    <div>
      <Button isPending={busy} onPress={() => void attempt(undo)}>
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
