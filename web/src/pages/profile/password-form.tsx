import { useState } from 'react'
import { setPassword } from '../../api/generated.ts'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import { TextInput } from '../../parts/form/text-input.tsx'
import { meQuery } from '../../session/me.ts'
import { sessionsQuery } from './queries.ts'

export function PasswordForm({ changes, onClose }: { changes: boolean; onClose: () => void }) {
  const [password, setTyped] = useState('')
  return (
    <ActionDialog
      title={changes ? 'Change your password' : 'Set a password'}
      {...(changes && { about: 'Your other sessions end.' })}
      action="Save"
      ready={password !== ''}
      fields={['password']}
      changes={[meQuery.queryKey, sessionsQuery.queryKey]}
      onSubmit={() => setPassword({ password })}
      onClose={onClose}
    >
      <TextInput
        name="password"
        label="New password"
        type="password"
        autoComplete="new-password"
        value={password}
        onChange={setTyped}
        autoFocus
        hint="12 characters or more, and none that is soon guessed."
      />
    </ActionDialog>
  )
}
