import { useSyncExternalStore } from 'react'
import { upload } from './upload.ts'

/** How much of each attachment has left, by its id: below 1 while it is being sent, 1 once the service has it. Small ones are there
 *  before one could look. */
const shares = new Map<string, number>()
const stops = new Map<string, AbortController>()
const listeners = new Set<() => void>()

/** What a request needs so that it can be followed and stopped. */
interface Following {
  readonly signal: AbortSignal
  readonly by: (url: string, init: RequestInit) => Promise<Response>
}

function set(id: string, share: number | undefined): void {
  if (share === undefined) shares.delete(id)
  else shares.set(id, share)
  for (const listener of listeners) listener()
}

/** How much of an attachment has left; undefined where nobody waits for it. */
export function useShare(id: string): number | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => shares.get(id),
  )
}

/** Sends an attachment. Answers nothing where that was stopped. */
export async function follow<T>(id: string, send: (following: Following) => Promise<T>): Promise<T | undefined> {
  const stop = new AbortController()
  stops.set(id, stop)
  const onSent = (share: number) => {
    if (share < 1 || shares.has(id)) set(id, Math.min(share, 0.99))
  }
  try {
    const answer = await send({ signal: stop.signal, by: (url, init) => upload(url, init, onSent) })
    if (shares.has(id)) set(id, 1)
    return answer
  } catch (error) {
    set(id, undefined)
    if (stop.signal.aborted) return undefined
    throw error
  } finally {
    stops.delete(id)
  }
}

/** Stops the sending of an attachment that is no longer wanted. */
export function stopUpload(id: string): void {
  stops.get(id)?.abort()
}
