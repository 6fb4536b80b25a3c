import { externalStore } from '../../../parts/state/external-store.ts'
import { upload } from './upload.ts'

/** The progress of each attachment's upload, by id: below 1 while it is sent, 1 once the service has it. Small ones are done
 *  before one could look. */
const shares = new Map<string, number>()
const stops = new Map<string, AbortController>()
const { changed, useValue } = externalStore()

/** What a request needs to be followed and aborted. */
interface Following {
  readonly signal: AbortSignal
  readonly by: (url: string, init: RequestInit) => Promise<Response>
}

function set(id: string, share: number | undefined): void {
  if (share === undefined) shares.delete(id)
  else shares.set(id, share)
  changed()
}

/** The progress of an upload; undefined if there is none. */
export const useShare = (id: string): number | undefined => useValue(() => shares.get(id))

/** Uploads an attachment. Answers undefined if that was aborted. */
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

/** Aborts the upload of an attachment that was removed. */
export function stopUpload(id: string): void {
  stops.get(id)?.abort()
}
