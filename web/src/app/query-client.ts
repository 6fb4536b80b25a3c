import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError, saysSignedOut } from '../api/call.ts'

/** The cache of the service's responses. Queries are repeated when the window gets the focus, and after failures. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: (error, { queryKey: [what] }) => what !== 'me' && lookWhoIsSignedIn(error) }),
  mutationCache: new MutationCache({ onError: lookWhoIsSignedIn }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (times, error) => error instanceof ApiError && times < triesAfter(error),
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
})

function lookWhoIsSignedIn(error: Error): void {
  if (saysSignedOut(error)) void queryClient.invalidateQueries({ queryKey: ['me'] })
}

/** The number of retries, with growing pauses. The rate limit is reset within a minute. */
function triesAfter({ status }: ApiError): number {
  if (status === 429) return 5
  return status === 0 || status >= 500 ? 2 : 0
}
