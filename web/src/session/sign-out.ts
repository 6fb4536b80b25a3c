import { signOut as endSession } from '../api/generated.ts'
import { queryClient } from '../app/query-client.ts'

/** Ends the session, and clears the cache. */
export async function signOut(): Promise<void> {
  await endSession().catch(() => {})
  queryClient.clear()
  location.assign('/sign-in')
}
