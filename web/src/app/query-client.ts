import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError, saysSignedOut } from '../api/call.ts'

/** What the service has said. Asked again when the window is looked at, and where no answer came. */
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

/** How often it is tried again, with growing pauses. A limit of requests passes within a minute. */
function triesAfter({ status }: ApiError): number {
  if (status === 429) return 5
  return status === 0 || status >= 500 ? 2 : 0
}
