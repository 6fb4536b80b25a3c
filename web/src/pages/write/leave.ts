import { ApiError } from '../../api/call.ts'
import { sendMessage } from '../../api/generated.ts'
import { queryClient } from '../../app/query-client.ts'
import { toasts } from '../../parts/toasts.ts'
import { forget, keep } from './device.ts'
import { hold, release } from './hold.ts'
import { write } from './opening.ts'
import { bodyOf } from './outgoing.ts'
import type { Writing } from './writing.ts'

/** Where the service is away, or the session has ended. */
const retryMs = 3_000

/** Messages that wait to be sent. */
const leaving = new Set<string>()

/** Sends a message at `at`, unless that is undone before. It is kept on this device until the service has it: a page that is
 *  left or loaded again loses nothing. */
export async function leave(
  member: string,
  writing: Writing,
  { at, key }: NonNullable<Writing['leaving']>,
): Promise<void> {
  if (leaving.has(writing.key)) return
  leaving.add(writing.key)
  window.addEventListener('beforeunload', warn)
  await hold(writing.key)
  await keep(member, { ...writing, leaving: { at, key } })
  const undone = Promise.withResolvers<true>()
  const wait = Math.max(0, at - Date.now())
  const said = toasts.add({
    text: 'Sending…',
    action: { name: 'Undo', run: () => undone.resolve(true) },
  })
  const isUndone = await Promise.race([undone.promise, new Promise<false>((go) => setTimeout(go, wait, false))])
  toasts.close(said)
  const fault = isUndone ? undefined : await deliver(writing, key)
  leaving.delete(writing.key)
  if (leaving.size === 0) window.removeEventListener('beforeunload', warn)
  const { leaving: _, ...back } = writing
  if (isUndone || fault) {
    await keep(member, back)
    write({ what: 'kept', writing: back, ...(fault && { fault }) })
    return
  }
  await forget(writing.key)
  release(writing.key)
  toasts.add({ text: 'Message sent' }, { timeout: 5_000 })
  void queryClient.invalidateQueries()
}

/** Tries until the service has answered. @returns why it refuses. */
async function deliver(writing: Writing, key: string): Promise<Error | undefined> {
  let said: string | undefined
  try {
    const body = await bodyOf(writing)
    for (;;) {
      try {
        await sendMessage(body, { headers: { 'Idempotency-Key': key } })
        return undefined
      } catch (error) {
        if (!(error instanceof ApiError) || !isPassing(error)) throw error
        said ??= toasts.add({ text: `Not sent yet: ${error.message}. It goes out as soon as that has passed.` })
      }
      await new Promise((go) => setTimeout(go, retryMs))
    }
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  } finally {
    if (said !== undefined) toasts.close(said)
  }
}

/** Whether the same request may succeed later: no answer, no session now, another try of it under way, too many requests. */
function isPassing({ status }: ApiError): boolean {
  return status === 0 || status === 401 || status === 409 || status === 429 || status >= 500
}

function warn(event: BeforeUnloadEvent): void {
  event.preventDefault()
}
