import { removeTotp } from '../../api/generated.ts'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import { meQuery } from '../../session/me.ts'

export function RemoveSecondFactor({ onClose }: { onClose: () => void }) {
  return (
    <ActionDialog
      title="Remove the second factor?"
      about="Your password alone then signs you in. The recovery codes stop working."
      action="Remove"
      danger
      changes={[meQuery.queryKey]}
      onSubmit={() => removeTotp()}
      onClose={onClose}
    />
  )
}
