import { useState } from 'react'
import { type BeginTotpResponse, beginTotp, confirmTotp } from '../../api/generated.ts'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import { Copy } from '../../parts/form/copy.tsx'
import { ShownOnce } from '../../parts/form/shown-once.tsx'
import { TextInput } from '../../parts/form/text-input.tsx'
import { meQuery } from '../../session/me.ts'
import { QrPicture } from './qr-picture.tsx'

/** Sets up time-based codes: the secret for the application, a first code as proof, recovery codes. */
export function AddSecondFactor({ onClose }: { onClose: () => void }) {
  const [begun, setBegun] = useState<BeginTotpResponse>()
  const [code, setCode] = useState('')
  const [recovery, setRecovery] = useState<readonly string[]>()
  if (recovery)
    return (
      <ShownOnce
        title="The second factor is set up"
        about="Each of these codes replaces one of the application, once. Keep them apart from it."
        secret={recovery.join('\n')}
        name="recovery codes"
        onClose={onClose}
      />
    )
  const next = async () => {
    if (begun) setRecovery((await confirmTotp({ code })).recovery_codes)
    else setBegun(await beginTotp())
    return 'stay'
  }
  return (
    <ActionDialog
      title="Second factor"
      about="An application on your phone shows a code that changes every 30 seconds. A sign-in with your password then needs it."
      action={begun ? 'Finish' : 'Begin'}
      ready={!begun || code.trim() !== ''}
      fields={['code']}
      changes={[meQuery.queryKey]}
      onSubmit={next}
      onClose={onClose}
    >
      {begun && (
        <>
          <QrPicture text={begun.uri} name="QR code of the secret, for the application" />
          <p>
            Scan this with the application, <a href={begun.uri}>open it</a> on this device, or type this secret into it:{' '}
            <code>{begun.secret}</code> <Copy text={begun.secret} of="secret" />
          </p>
          <TextInput
            name="code"
            label="The code that it shows"
            inputMode="numeric"
            autoComplete="one-time-code"
            value={code}
            onChange={setCode}
            autoFocus
          />
        </>
      )}
    </ActionDialog>
  )
}
