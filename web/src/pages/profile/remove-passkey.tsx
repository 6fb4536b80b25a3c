import { type Passkey, removePasskey } from '../../api/generated.ts'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import { changedWithPasskeys } from './queries.ts'

export function RemovePasskey({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  return (
    <ActionDialog
      title={`Remove the passkey ${passkey.name}?`}
      about="It no longer works, and your other sessions end. Your device shows it until you remove it there too."
      action="Remove"
      danger
      changes={changedWithPasskeys}
      onSubmit={() => removePasskey(passkey.id)}
      onClose={onClose}
    />
  )
}
