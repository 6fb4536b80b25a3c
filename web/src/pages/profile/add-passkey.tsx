import { useState } from 'react'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import { makePasskey } from '../../session/passkeys.ts'
import { PasskeyName } from './passkey-name.tsx'
import { changedWithPasskeys } from './queries.ts'

export function AddPasskey({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState(deviceName)
  return (
    <ActionDialog
      title="Add a passkey"
      about="The browser asks where to keep it: on this device, on your phone, or on a security key."
      action="Add"
      ready={name.trim() !== ''}
      fields={['name']}
      changes={changedWithPasskeys}
      onSubmit={() => makePasskey(name)}
      onClose={onClose}
    >
      <PasskeyName value={name} onChange={setName} />
    </ActionDialog>
  )
}

function deviceName(): string {
  return /iPhone|iPad|Android|Windows|Mac|Linux/.exec(navigator.userAgent)?.[0] ?? ''
}
