import { deleteLabel, type Label } from '../../api/generated.ts'
import { ActionDialog } from '../../parts/dialog.tsx'
import { labelsChanged } from './queries.ts'

export function DeleteLabel({ label, onClose }: { label: Label; onClose: () => void }) {
  const remove = async () => {
    await deleteLabel(label.id)
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
