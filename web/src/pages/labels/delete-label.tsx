import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import { type AnyLabel, labelRequests, labelsChanged } from './queries.ts'

export function DeleteLabel({ label, onClose }: { label: AnyLabel; onClose: () => void }) {
  const remove = async () => {
    await labelRequests(label.own).remove(label.id)
    await labelsChanged()
  }
  return (
    <ActionDialog
      title={`Delete ${label.name}?`}
      about={
        <>
          Messages keep the keyword <code>{label.keyword}</code>. Filters that put this label on stay, and do nothing
          until a label of that name is there again.
        </>
      }
      action="Delete label"
      danger
      onSubmit={remove}
      onClose={onClose}
    />
  )
}
