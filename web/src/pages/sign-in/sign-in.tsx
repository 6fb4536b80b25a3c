import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useEffect, useState } from 'react'
import { Form } from 'react-aria-components/Form'
import { ApiError } from '../../api/call.ts'
import { type Me, signIn } from '../../api/generated.ts'
import { queryClient } from '../../app/query-client.ts'
import { Button } from '../../parts/form/button.tsx'
import { TextInput } from '../../parts/form/text-input.tsx'
import { meQuery } from '../../session/me.ts'
import { signInByPasskey } from '../../session/passkeys.ts'
import { failureAtProvider, leaveToSignIn } from '../../session/provider.ts'
import { hasPasskeys, waysQuery } from '../../session/ways.ts'
import { ArrivedLink } from './arrived-link.tsx'
import styles from './sign-in.module.css'
import { SignInFrame } from './sign-in-frame.tsx'

/** Opens a session: by the link that was opened, whose token is behind the `#`, by a password, a passkey or single sign-on,
 *  or by a pasted link. */
export function SignIn() {
  const { to, failed } = useSearch({ from: '/sign-in' })
  const navigate = useNavigate()
  const [arrived] = useState(() => location.hash.slice(1))
  const ways = useQuery({ ...waysQuery, retry: false })
  const [chosen, choose] = useState<'arrived' | 'usual' | 'link'>(arrived === '' ? 'usual' : 'arrived')
  // If that is unknown, a password may be tried.
  const passwords = ways.data?.password ?? true
  const provider = ways.data?.single_sign_on?.name
  const usual = passwords ? 'password' : provider === undefined ? 'link' : 'provider'
  const way = chosen === 'usual' ? usual : chosen
  const [link, setLink] = useState('')
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const [needsCode, needCode] = useState(false)
  /** What the page says that the link does. */
  const [linkDoes, setLinkDoes] = useState<'nothing' | 'sign in' | 'end a session'>('nothing')
  const [error, setError] = useState<Error | undefined>(() => failureAtProvider(failed))
  useEffect(() => {
    // So that neither the history nor a screenshot has the token.
    if (arrived !== '') history.replaceState(history.state, '', location.pathname + location.search)
  }, [arrived])

  const said = useCallback((ends: boolean) => setLinkDoes(ends ? 'end a session' : 'sign in'), [])
  const unusable = useCallback((failure: Error) => {
    choose('link')
    setError(failure)
  }, [])

  const meta = { showsFailure: true } as const
  const leaving = useMutation({ mutationFn: () => leaveToSignIn(to), onError: setError, meta })
  const opening = useMutation({
    mutationFn: (how: () => Promise<Me>) => how(),
    onMutate: () => setError(undefined),
    onSuccess: async (me) => {
      queryClient.clear()
      queryClient.setQueryData(meQuery.queryKey, me)
      await navigate({ to: to ?? '/', replace: true })
    },
    onError: (failure) => {
      if (way === 'arrived') choose('link')
      const asks = failure instanceof ApiError && failure.needs === 'code' && !needsCode
      if (asks) needCode(true)
      else setError(failure)
    },
    meta,
  })
  // Once it has succeeded the browser leaves this page.
  const busy = opening.isPending || leaving.isPending || leaving.isSuccess

  const submit = () => {
    if (way === 'provider') return leaving.mutate()
    const byPassword = { email: email.trim(), password, ...(needsCode && { code }) }
    opening.mutate(() => signIn(way === 'password' ? byPassword : { link: way === 'link' ? link : arrived }))
  }

  const given = way === 'password' ? email !== '' && password !== '' : way !== 'link' || link.trim() !== ''
  if (way !== 'arrived' && ways.isPending) return null
  return (
    <SignInFrame title="Sign in to Mailroom">
      {!window.isSecureContext && (
        <p role="alert" className={styles.failure}>
          This page came over plain HTTP, which anybody between can read. You can sign in over HTTPS only: ask whoever
          runs this service for its address that begins with https://.
        </p>
      )}
      <Form
        className={`${styles.form}`}
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        {error && (
          <p role="alert" className={styles.failure}>
            {error.message}. {error instanceof ApiError && error.needs === undefined && error.fix}
          </p>
        )}
        {way === 'arrived' && <ArrivedLink link={arrived} onSaid={said} onFailed={unusable} />}
        {way === 'password' && (
          <>
            <TextInput
              name="email"
              label="E-mail address"
              type="email"
              autoComplete="username"
              value={email}
              onChange={setEmail}
              autoFocus
            />
            <TextInput
              name="password"
              label="Password"
              type="password"
              autoComplete="current-password"
              value={password}
              onChange={setPassword}
            />
          </>
        )}
        {way === 'password' && needsCode && (
          <TextInput
            name="code"
            label="Code of your second factor"
            autoComplete="one-time-code"
            value={code}
            onChange={setCode}
            autoFocus
            hint="From the application, or a recovery code."
          />
        )}
        {way === 'link' && (
          <TextInput
            name="link"
            label="Sign-in link"
            value={link}
            onChange={setLink}
            autoFocus
            hint="An owner or an admin of your organization makes one, or the operator: mailroom member invite"
          />
        )}
        <Button
          type="submit"
          look="primary"
          isPending={busy}
          isDisabled={!given || (way === 'arrived' && linkDoes === 'nothing')}
          // What ends a session is not done by pressing Enter unread.
          autoFocus={way === 'provider' || (way === 'arrived' && linkDoes === 'sign in')}
          key={linkDoes}
        >
          {way === 'provider' ? `Sign in with ${provider}` : 'Sign in'}
        </Button>
        {way !== 'arrived' && way !== 'provider' && provider !== undefined && (
          <Button onPress={() => leaving.mutate()} isDisabled={busy}>
            Sign in with {provider}
          </Button>
        )}
        {way !== 'arrived' && hasPasskeys(ways.data) && (
          <Button onPress={() => opening.mutate(signInByPasskey)} isDisabled={busy}>
            Sign in with a passkey
          </Button>
        )}
        {way !== 'arrived' && usual !== 'link' && (
          <Button look="quiet" onPress={() => choose(way === 'link' ? 'usual' : 'link')}>
            {way === 'link' ? (passwords ? 'Use a password' : `Use ${provider}`) : 'Use a sign-in link'}
          </Button>
        )}
      </Form>
    </SignInFrame>
  )
}
