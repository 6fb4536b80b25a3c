import { useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { saysSignedOut } from '../api/call.ts'
import { Shell } from '../app/shell.tsx'
import { Loaded } from '../parts/state/loaded.tsx'
import { meQuery } from './me.ts'

/** The app to those who are signed in; others sign in first. A session that ends meanwhile leaves the page, and what is typed
 *  in it, as it is. */
export function SignedIn() {
  const query = useQuery(meQuery)
  const signedOut = saysSignedOut(query.error)
  if (signedOut && query.data === undefined) return <SignInFirst />
  return (
    <Loaded query={query} what="your account">
      {(me) => <Shell me={me} signedOut={signedOut} />}
    </Loaded>
  )
}

/** Leads to the sign-in, and from there back to where it was shown. */
function SignInFirst() {
  const router = useRouter()
  useEffect(() => {
    // Once: on its way there, the location is that of the sign-in already.
    const { href } = router.state.location
    void router.navigate({ to: '/sign-in', search: href === '/' ? {} : { to: href }, replace: true })
  }, [router])
  return null
}
