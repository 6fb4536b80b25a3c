import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '../api/call.ts'
import { confirmSession } from '../api/generated.ts'
import { TextInput } from '../parts/field.tsx'
import { meQuery } from './me.ts'
import { waysQuery } from './ways.ts'

interface Props {
  readonly asked: boolean
  readonly password: string
  readonly setPassword: (password: string) => void
  readonly code: string
  readonly setCode: (code: string) => void
}

/** What is dangerous needs a member to have said lately who they are. An action that is refused for that asks, and is done again. */
export function useConfirmation() {
  const [asked, ask] = useState(false)
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  return {
    ...{ asked, password, setPassword, code, setCode },
    /** Whether an action failed for want of a confirmation, which the form asks for from now on. */
    isAskedBy(failure: unknown): boolean {
      if (asked || !(failure instanceof ApiError) || failure.needs !== 'confirmation') return false
      ask(true)
      return true
    },
    /** Confirms, where it was asked for. */
    async confirm(): Promise<void> {
      if (!asked) return
      await confirmSession({ password, ...(code !== '' && { code }) })
      ask(false)
    },
  }
}

/** The fields of a confirmation, once it is asked for. */
export function Confirmation({ asked, password, setPassword, code, setCode }: Props) {
  const { data: me } = useQuery(meQuery)
  const { data: ways } = useQuery(waysQuery)
  if (!asked || !me || !ways) return null
  if (!me.has_password || !ways.password)
    return (
      <p role="alert">
        This needs you to have signed in within the last ten minutes. Sign in again by a new link
        {ways.password && ', or set a password right after you did'}.
      </p>
    )
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
      {me.has_totp && (
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
