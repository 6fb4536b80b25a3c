import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Form } from 'react-aria-components/Form'
import type { ApiError } from '../../api/call.ts'
import { signIn } from '../../api/generated.ts'
import { queryClient } from '../../app/query-client.ts'
import { Button } from '../../parts/button.tsx'
import { TextInput } from '../../parts/field.tsx'
import { meQuery } from '../../session/me.ts'
import icon from '../../style/icon.svg'
import styles from './sign-in.module.css'

/** Opens a session by a link: the one that led here, whose token stands behind the `#`, or one that is pasted. */
export function SignIn() {
  const { to } = useSearch({ from: '/sign-in' })
  const navigate = useNavigate()
  const [arrived] = useState(() => location.hash.slice(1))
  const [pasted, setPasted] = useState('')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<ApiError>()
  useEffect(() => {
    document.title = 'Sign in · Mailroom'
    // Neither the history nor a screenshot keeps the token.
    if (arrived !== '') history.replaceState(history.state, '', location.pathname + location.search)
  }, [arrived])

  async function submit() {
    setBusy(true)
    setError(undefined)
    try {
      const me = await signIn({ link: error || arrived === '' ? pasted : arrived })
      queryClient.clear()
      queryClient.setQueryData(meQuery.queryKey, me)
      await navigate({ to: to ?? '/', replace: true })
    } catch (failure) {
      setError(failure as ApiError)
    } finally {
      setBusy(false)
    }
  }

  const byArrival = arrived !== '' && error === undefined
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
              {error.message}. {error.fix}
            </p>
          )}
          {byArrival ? (
            <p className={styles.about}>Your link signs you in on this browser. It works once.</p>
          ) : (
            <TextInput
              name="link"
              label="Sign-in link"
              value={pasted}
              onChange={setPasted}
              autoFocus
              hint="The operator of this service gives you one: mailroom member invite"
            />
          )}
          <Button
            type="submit"
            look="primary"
            isPending={busy}
            isDisabled={!byArrival && pasted.trim() === ''}
            autoFocus={byArrival}
          >
            Sign in
          </Button>
        </Form>
      </div>
    </main>
  )
}
