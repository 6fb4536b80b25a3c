import { MutationCache, type MutationOptions, QueryCache, QueryClient, type QueryKey } from '@tanstack/react-query'
import { ApiError, saysSignedOut } from '../api/call.ts'
import { sayFailure } from '../parts/state/toasts.ts'

declare module '@tanstack/react-query' {
  interface Register {
    mutationMeta: {
      /** Keys of the queries whose results it may change, also where it fails halfway. */
      readonly changes?: readonly QueryKey[]
      /** Whoever asked for it shows its failure. */
      readonly showsFailure?: true
    }
  }
}

/** The cache of the service's responses. Queries are repeated when the window gets the focus, and after failures. A change refreshes
 *  what it changes, and is done once that is; a failure is said here, unless a dialog shows it. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: (error, { queryKey: [what] }) => what !== 'me' && lookWhoIsSignedIn(error) }),
  mutationCache: new MutationCache({
    onSuccess: (_result, _variables, _shown, { meta }) => refresh(meta?.changes),
    onError: (error, _variables, _shown, { meta }) => {
      lookWhoIsSignedIn(error)
      if (!meta?.showsFailure) sayFailure(error)
      void refresh(meta?.changes)
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (times, error) => error instanceof ApiError && times < triesAfter(error),
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
})

/** Makes a change outside of components. Answers undefined if it fails, which is said. */
export function mutate<T, V, C>(options: MutationOptions<T, Error, V, C>, variables: V): Promise<T | undefined> {
  const mutation = queryClient.getMutationCache().build(queryClient, options)
  return mutation.execute(variables).catch(() => undefined)
}

async function refresh(changes: readonly QueryKey[] = []): Promise<void> {
  await Promise.all(changes.map((queryKey) => queryClient.invalidateQueries({ queryKey })))
}

function lookWhoIsSignedIn(error: Error): void {
  if (saysSignedOut(error)) void queryClient.invalidateQueries({ queryKey: ['me'] })
}

/** The number of retries, with growing pauses. The rate limit is reset within a minute. */
function triesAfter({ status }: ApiError): number {
  if (status === 429) return 5
  return status === 0 || status >= 500 ? 2 : 0
}
