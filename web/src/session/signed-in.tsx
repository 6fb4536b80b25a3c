import { useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useDeferredValue, useEffect } from 'react'
import { saysSignedOut } from '../api/call.ts'
import { Shell } from '../app/shell.tsx'
import { Button } from '../parts/form/button.tsx'
import { Page } from '../parts/page/page.tsx'
import { Failure } from '../parts/state/failure.tsx'
import { Loaded } from '../parts/state/loaded.tsx'
import { Loading } from '../parts/state/loading.tsx'
import { meQuery } from './me.ts'
import { signOut } from './sign-out.ts'

/** The app in a session; without one, the sign-in. If the session ends meanwhile, the page stays with what is typed in it. */
export function SignedIn() {
  const query = useQuery(meQuery)
  const signedOut = saysSignedOut(query.error)
  // React renders what is deferred piece by piece: the whole page in one task would be long.
  const isShown = useDeferredValue(query.data !== undefined, false)
  if (signedOut && query.data === undefined) return <SignInFirst />
  if (query.error && query.data === undefined)
    return (
      <main>
        <Page
          title="Your account"
          actions={
            <Button look="quiet" onPress={() => void signOut()}>
              Sign out
            </Button>
          }
        >
          <Failure error={query.error} what="your account" again={() => void query.refetch()} />
        </Page>
      </main>
    )
  return (
    <Loaded query={query} what="your account">
      {(me) => (isShown ? <Shell me={me} signedOut={signedOut} /> : <Loading what="your account" />)}
    </Loaded>
  )
}

/** Redirects to the sign-in, which leads back here. */
function SignInFirst() {
  const router = useRouter()
  useEffect(() => {
    // Read once: during the redirect the location is already that of the sign-in.
    const { href } = router.state.location
    void router.navigate({ to: '/sign-in', search: href === '/' ? {} : { to: href }, replace: true })
  }, [router])
  return null
}
