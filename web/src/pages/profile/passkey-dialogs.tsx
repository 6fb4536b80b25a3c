import { useState } from 'react'
import { type Passkey, removePasskey, renamePasskey } from '../../api/generated.ts'
import { ActionDialog } from '../../parts/dialog.tsx'
import { TextInput } from '../../parts/field.tsx'
import { meChanged } from '../../session/me.ts'
import { makePasskey } from '../../session/passkeys.ts'
import { passkeysChanged, sessionsChanged } from './queries.ts'

/** All that a passkey shows in. */
const changed = () => Promise.all([passkeysChanged(), meChanged(), sessionsChanged()])

export function AddPasskey({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState(deviceName)
  return (
    <ActionDialog
      title="Add a passkey"
      about="The browser asks where to keep it: on this device, on your phone, or on a security key."
      action="Add"
      ready={name.trim() !== ''}
      fields={['name']}
      onSubmit={() => makePasskey(name).then(changed)}
      onClose={onClose}
    >
      <PasskeyName value={name} onChange={setName} />
    </ActionDialog>
  )
}

export function RenamePasskey({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const [name, setName] = useState(passkey.name)
  return (
    <ActionDialog
      title="Rename the passkey"
      action="Save"
      ready={name.trim() !== ''}
      fields={['name']}
      onSubmit={() => renamePasskey(passkey.id, { name }).then(passkeysChanged)}
      onClose={onClose}
    >
      <PasskeyName value={name} onChange={setName} />
    </ActionDialog>
  )
}

export function RemovePasskey({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  return (
    <ActionDialog
      title={`Remove the passkey ${passkey.name}?`}
      about="It opens nothing any more, and your other sessions end. Your device still shows it until you remove it there too."
      action="Remove"
      danger
      onSubmit={() => removePasskey(passkey.id).then(changed)}
      onClose={onClose}
    />
  )
}

function PasskeyName(props: { value: string; onChange: (name: string) => void }) {
  return (
    <TextInput
      {...props}
      name="name"
      label="Name"
      autoFocus
      hint="For you to know it by: the device or the key that it is on."
    />
  )
}

function deviceName(): string {
  return /iPhone|iPad|Android|Windows|Mac|Linux/.exec(navigator.userAgent)?.[0] ?? ''
}
