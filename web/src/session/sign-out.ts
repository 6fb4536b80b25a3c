import { signOut as endSession } from '../api/generated.ts'
import { queryClient } from '../app/query-client.ts'

/** Ends the session, and forgets all that was shown in it. */
export async function signOut(): Promise<void> {
  await endSession().catch(() => {})
  queryClient.clear()
  location.assign('/sign-in')
}
