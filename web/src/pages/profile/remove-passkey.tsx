import { type Passkey, removePasskey } from '../../api/generated.ts'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import { passkeyMadeOrGone } from './queries.ts'

export function RemovePasskey({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  return (
    <ActionDialog
      title={`Remove the passkey ${passkey.name}?`}
      about="It no longer works, and your other sessions end. Your device shows it until you remove it there too."
      action="Remove"
      danger
      onSubmit={() => removePasskey(passkey.id).then(passkeyMadeOrGone)}
      onClose={onClose}
    />
  )
}
