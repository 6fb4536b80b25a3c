import { ApiError } from '../../../api/call.ts'
import { toasts } from '../../../parts/state/toasts.ts'
import { meChanged } from '../../../session/me.ts'

/** If the service does not answer, or the session has ended. */
const retryMs = 3_000

/** Retries until the service has answered. Shows `problem` meanwhile. @throws a refusal */
export async function untilAnswered<T>(problem: string, request: () => Promise<T>): Promise<T> {
  let said: string | undefined
  try {
    for (;;) {
      try {
        return await request()
      } catch (error) {
        if (!isTemporary(error)) throw error
        if (error.status === 401) void meChanged()
        said ??= toasts.add({ text: `${problem}: ${error.message}. It is tried again until that has passed.` })
      }
      await new Promise((go) => setTimeout(go, retryMs))
    }
  } finally {
    if (said !== undefined) toasts.close(said)
  }
}

/** Whether the same request may succeed later: no response, no session, a concurrent attempt, too many requests. */
function isTemporary(error: unknown): error is ApiError {
  if (!(error instanceof ApiError)) return false
  const { status, field } = error
  return status === 0 || status === 401 || (status === 409 && field === undefined) || status === 429 || status >= 500
}
