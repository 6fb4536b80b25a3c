import { queryOptions } from '@tanstack/react-query'
import { listSignInWays } from '../api/generated.ts'

/** The ways to sign in, beside links; the same for everybody. */
export const waysQuery = queryOptions({
  queryKey: ['sign-in ways'],
  queryFn: ({ signal }) => listSignInWays({ signal }),
  staleTime: Number.POSITIVE_INFINITY,
})
