import { queryOptions } from '@tanstack/react-query'
import { listSignInWays, type SignInWays } from '../api/generated.ts'
import { browserHasPasskeys } from './passkeys.ts'

/** The ways to sign in besides links; the same for all members. */
export const waysQuery = queryOptions({
  queryKey: ['sign-in ways'],
  queryFn: ({ signal }) => listSignInWays({ signal }),
  staleTime: Number.POSITIVE_INFINITY,
})

/** Whether passkeys work in this browser and under this address. */
export function hasPasskeys(ways: SignInWays | undefined): boolean {
  return browserHasPasskeys && ways?.passkey === true
}
