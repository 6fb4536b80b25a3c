import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Form } from 'react-aria-components/Form'
import { ApiError } from '../../api/call.ts'
import { type Me, signIn } from '../../api/generated.ts'
import { queryClient } from '../../app/query-client.ts'
import { Button } from '../../parts/button.tsx'
import { TextInput } from '../../parts/field.tsx'
import { meQuery } from '../../session/me.ts'
import { signInByPasskey } from '../../session/passkeys.ts'
import { hasPasskeys, waysQuery } from '../../session/ways.ts'
import icon from '../../style/icon.svg'
import styles from './sign-in.module.css'

/** Opens a session: by the link that led here, whose token stands behind the `#`, by a password or a passkey, or by a link that is pasted. */
export function SignIn() {
  const { to } = useSearch({ from: '/sign-in' })
  const navigate = useNavigate()
  const [arrived] = useState(() => location.hash.slice(1))
  const ways = useQuery({ ...waysQuery, retry: false })
  const [chosen, choose] = useState<'arrived' | 'password' | 'link'>(arrived === '' ? 'password' : 'arrived')
  // Where that cannot be known, a password may be tried.
  const passwords = ways.data?.password ?? true
  const way = chosen === 'password' && !passwords ? 'link' : chosen
  const [link, setLink] = useState('')
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const [needsCode, needCode] = useState(false)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<Error>()
  useEffect(() => {
    document.title = 'Sign in · Mailroom'
    // Neither the history nor a screenshot keeps the token.
    if (arrived !== '') history.replaceState(history.state, '', location.pathname + location.search)
  }, [arrived])

  const submit = () => {
    const byPassword = { email: email.trim(), password, ...(needsCode && { code }) }
    return open(() => signIn(way === 'password' ? byPassword : { link: way === 'link' ? link : arrived }))
  }

  async function open(how: () => Promise<Me>) {
    setBusy(true)
    setError(undefined)
    try {
      const me = await how()
      queryClient.clear()
      queryClient.setQueryData(meQuery.queryKey, me)
      await navigate({ to: to ?? '/', replace: true })
    } catch (failure) {
      if (way === 'arrived') choose('link')
      const asks = failure instanceof ApiError && failure.needs === 'code' && !needsCode
      if (asks) needCode(true)
      else setError(failure as Error)
    } finally {
      setBusy(false)
    }
  }

  const other = way === 'password' ? 'link' : 'password'
  const given = way === 'password' ? email !== '' && password !== '' : way === 'arrived' || link.trim() !== ''
  if (way !== 'arrived' && ways.isPending) return null
  return (
    <main className={styles.frame}>
      <div className={styles.card}>
        <div className={styles.brand}>
          <img src={icon} alt="" />
          <h1>Sign in to Mailroom</h1>
        </div>
        <Form
          className={`${styles.form}`}
          onSubmit={(event) => {
            event.preventDefault()
            void submit()
          }}
        >
          {error && (
            <p role="alert" className={styles.failure}>
              {error.message}. {error instanceof ApiError && error.needs === undefined && error.fix}
            </p>
          )}
          {way === 'arrived' && <p className={styles.about}>Your link signs you in on this browser. It works once.</p>}
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
          <Button type="submit" look="primary" isPending={busy} isDisabled={!given} autoFocus={way === 'arrived'}>
            Sign in
          </Button>
          {way !== 'arrived' && hasPasskeys(ways.data) && (
            <Button onPress={() => void open(signInByPasskey)} isDisabled={busy}>
              Sign in with a passkey
            </Button>
          )}
          {way !== 'arrived' && passwords && (
            <Button look="quiet" onPress={() => choose(other)}>
              {other === 'link' ? 'Use a sign-in link' : 'Use a password'}
            </Button>
          )}
        </Form>
      </div>
    </main>
  )
}
