import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '../api/call.ts'
import { confirmSession } from '../api/generated.ts'
import { Button } from '../parts/form/button.tsx'
import { TextInput } from '../parts/form/text-input.tsx'
import { meQuery } from './me.ts'
import { confirmByPasskey } from './passkeys.ts'
import { hasPasskeys, waysQuery } from './ways.ts'

type Way = 'passkey' | 'password' | 'provider'

/** Dangerous requests need a recent confirmation. If one is refused for the lack of it, the form asks for it and repeats the request. */
export function useConfirmation() {
  const { data: me } = useQuery(meQuery)
  const { data: ways } = useQuery(waysQuery)
  const [asked, ask] = useState(false)
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const [chosen, choose] = useState<Way>()
  const possible: Way[] = []
  if (me?.has_passkey && hasPasskeys(ways)) possible.push('passkey')
  if (me?.has_password && ways?.password) possible.push('password')
  if (ways?.single_sign_on) possible.push('provider')
  const way = possible.find((one) => one === chosen) ?? possible[0]
  return {
    ...{ asked: asked && me !== undefined && ways !== undefined, way, possible, choose },
    ...{ password, setPassword, code, setCode },
    /** Whether an action failed without a confirmation. The form then asks for one. */
    isAskedBy(failure: unknown): boolean {
      if (asked || !(failure instanceof ApiError) || failure.needs !== 'confirmation') return false
      ask(true)
      return true
    },
    /** Sends the confirmation, if one is needed. */
    async confirm(): Promise<void> {
      // The provider opens in another window.
      if (!asked || way === 'provider') return
      if (way === 'passkey') await confirmByPasskey()
      else await confirmSession({ password, ...(code !== '' && { code }) })
      ask(false)
    },
  }
}

/** The fields of a confirmation, if one is needed. */
export function Confirmation(confirmation: ReturnType<typeof useConfirmation>) {
  const { asked, way, possible, choose } = confirmation
  const { data: ways } = useQuery(waysQuery)
  if (!asked) return null
  if (way === undefined)
    return (
      <p role="alert">
        This needs you to have signed in within the last ten minutes. Sign in again by a new link
        {ways?.password && ', or set a password right after you did'}.
      </p>
    )
  const provider = ways?.single_sign_on?.name ?? ''
  return (
    <>
      {way === 'passkey' && <p role="alert">Confirm that it is you: go on, and the browser asks for your passkey.</p>}
      {way === 'password' && <PasswordAndCode {...confirmation} />}
      {way === 'provider' && (
        <p role="alert">
          Confirm that it is you:{' '}
          <a href="/confirm" target="_blank" rel="noopener">
            sign in at {provider}, in a new window
          </a>
          . Then go on here.
        </p>
      )}
      {possible
        .filter((one) => one !== way)
        .map((one) => (
          <Button key={one} look="quiet" onPress={() => choose(one)}>
            {one === 'passkey' ? 'Use a passkey' : one === 'password' ? 'Use your password' : `Use ${provider}`}
          </Button>
        ))}
    </>
  )
}

function PasswordAndCode({ password, setPassword, code, setCode }: ReturnType<typeof useConfirmation>) {
  const { data: me } = useQuery(meQuery)
  return (
    <>
      <TextInput
        name="password"
        label="Your password"
        type="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        autoFocus
        hint="This is asked for once in ten minutes."
      />
      {me?.has_totp && (
        <TextInput
          name="code"
          label="Code of your second factor"
          autoComplete="one-time-code"
          value={code}
          onChange={setCode}
        />
      )}
    </>
  )
}
