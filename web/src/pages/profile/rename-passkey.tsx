import { useState } from 'react'
import { type Passkey, renamePasskey } from '../../api/generated.ts'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import { PasskeyName } from './passkey-name.tsx'
import { passkeysQuery } from './queries.ts'

export function RenamePasskey({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const [name, setName] = useState(passkey.name)
  return (
    <ActionDialog
      title="Rename the passkey"
      action="Save"
      ready={name.trim() !== ''}
      fields={['name']}
      changes={[passkeysQuery.queryKey]}
      onSubmit={() => renamePasskey(passkey.id, { name })}
      onClose={onClose}
    >
      <PasskeyName value={name} onChange={setName} />
    </ActionDialog>
  )
}
