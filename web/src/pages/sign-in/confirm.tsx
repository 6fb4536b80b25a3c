import { useMutation, useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { ApiError } from '../../api/call.ts'
import { Button } from '../../parts/form/button.tsx'
import { failureAtProvider, leaveToConfirm } from '../../session/provider.ts'
import { waysQuery } from '../../session/ways.ts'
import styles from './sign-in.module.css'
import { SignInFrame } from './sign-in-frame.tsx'

/** Confirms the member at the provider of single sign-on, in a window of its own, so that typed text in the other one stays. */
export function Confirm() {
  const { done, failed } = useSearch({ from: '/confirm' })
  const ways = useQuery(waysQuery)
  // By a button, not by opening the page: otherwise any page with a link here could send members to the provider.
  const leaving = useMutation({ mutationFn: leaveToConfirm, meta: { showsFailure: true } })
  const error = leaving.error ?? (leaving.isIdle ? failureAtProvider(failed) : undefined)
  const name = ways.data?.single_sign_on?.name
  if (done)
    return (
      <SignInFrame title="You have confirmed that it is you">
        <p className={styles.about}>Close this window, and go on in the one that you came from.</p>
      </SignInFrame>
    )
  if (ways.isPending) return null
  return (
    <SignInFrame title="Confirm that it is you">
      <div className={styles.form}>
        {error && (
          <p role="alert" className={styles.failure}>
            {error.message}. {error instanceof ApiError && error.fix}
          </p>
        )}
        <p className={styles.about}>
          {name === undefined
            ? 'This service has no single sign-on.'
            : `Sign in at ${name} again. Then continue in the window that you came from.`}
        </p>
        {name !== undefined && (
          <Button
            look="primary"
            onPress={() => leaving.mutate()}
            isPending={leaving.isPending || leaving.isSuccess}
            autoFocus
          >
            Sign in at {name}
          </Button>
        )}
      </div>
    </SignInFrame>
  )
}
