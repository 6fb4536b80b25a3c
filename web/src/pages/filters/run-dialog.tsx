import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import { Loaded } from '../../parts/state/loaded.tsx'
import type { AnyFilter } from './queries.ts'
import { foldersOf, RunChoice, type Where } from './run-choice.tsx'
import { RunPreview } from './run-preview.tsx'
import { beginRun, cancelRun, runQuery, runsQuery } from './run-queries.ts'
import { RunShown } from './run-shown.tsx'

interface Props {
  /** Undefined for all enabled filters. */
  readonly filter: AnyFilter | undefined
  readonly own: boolean
  readonly onClose: () => void
}

/** Runs filters on stored mail, after a preview that changes nothing. */
export function RunDialog({ filter, own, onClose }: Props) {
  const [where, choose] = useState<Where>({ mailboxes: [], folders: ['inbox'], others: '' })
  const [previewId, setPreview] = useState<string>()
  const [runId, setRun] = useState<string>()
  const query = useQuery({ ...runQuery(own, previewId ?? ''), enabled: previewId !== undefined && runId === undefined })
  const title = `${filter ? `Run ${filter.name}` : own ? 'Run all of your own filters' : 'Run all filters'} on old mail`
  if (runId !== undefined) return <RunShown title={title} own={own} id={runId} onClose={onClose} />

  const preview = previewId === undefined ? undefined : query.data
  const folders = foldersOf(where)
  const submit = async () => {
    const mailboxes = where.mailboxes.length > 0 ? { mailboxes: [...where.mailboxes] } : {}
    const { id } = await beginRun(own, filter?.id, { ...mailboxes, folders, preview: previewId === undefined })
    if (previewId === undefined) setPreview(id)
    else setRun(id)
    return 'stay'
  }
  const close = () => {
    if (previewId !== undefined && preview?.finished_at === null) cancelRun(own, previewId).catch(() => {})
    onClose()
  }
  return (
    <ActionDialog
      title={title}
      about={
        previewId === undefined
          ? 'Over the mail that is there now. You see a preview first; nothing is changed until you choose Run.'
          : 'This is what would be done. Nothing is changed yet.'
      }
      action={previewId === undefined ? 'Preview' : 'Run'}
      ready={previewId === undefined ? folders.length > 0 : preview?.state === 'done' && preview.changed > 0}
      fields={['mailboxes', 'folders']}
      changes={[runsQuery.queryKey]}
      onSubmit={submit}
      onClose={close}
    >
      {previewId === undefined ? (
        <RunChoice where={where} own={own} onChange={choose} />
      ) : (
        <Loaded query={query} what="the preview">
          {(run) => <RunPreview run={run} away={query.isError} />}
        </Loaded>
      )}
    </ActionDialog>
  )
}
