import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError, saysSignedOut } from '../api/call.ts'

/** What the service has said. Asked again when the window is looked at, and where no answer came. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: (error, { queryKey: [what] }) => what !== 'me' && lookWhoIsSignedIn(error) }),
  mutationCache: new MutationCache({ onError: lookWhoIsSignedIn }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (times, error) => times < 2 && error instanceof ApiError && (error.status === 0 || error.status >= 500),
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
})

function lookWhoIsSignedIn(error: Error): void {
  if (saysSignedOut(error)) void queryClient.invalidateQueries({ queryKey: ['me'] })
}
