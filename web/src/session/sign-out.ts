import { ApiError } from '../api/call.ts'
import { signOut as endSession } from '../api/generated.ts'
import { queryClient } from '../app/query-client.ts'
import { sayFailure } from '../parts/state/toasts.ts'

/** Ends the session, and clears the cache. Without a connection it stays: the session would go on in the service. */
export async function signOut(): Promise<void> {
  try {
    await endSession()
  } catch (error) {
    if (error instanceof ApiError && error.isOffline) return sayFailure(error)
  }
  queryClient.clear()
  location.assign('/sign-in')
}
