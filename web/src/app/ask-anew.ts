import type { QueryKey } from '@tanstack/react-query'
import { queryClient } from './query-client.ts'

/** At most so often is asked anew, however much changes. */
const restMs = 500

const concerned = new Map<string, QueryKey>()
let flushing: ReturnType<typeof setTimeout> | undefined
let flushedAt = 0

function flush(): void {
  flushing = undefined
  flushedAt = Date.now()
  for (const queryKey of concerned.values()) void queryClient.invalidateQueries({ queryKey })
  concerned.clear()
}

/** Asks the service anew for these queries: at once, or where that was done just now, a moment later. */
export function askAnew(keys: readonly QueryKey[]): void {
  ask(keys, Math.max(0, flushedAt + restMs - Date.now()))
}

/** The same for what is shown already as it will be: together with what the events of the change concern. */
export function askAnewSoon(keys: readonly QueryKey[]): void {
  ask(keys, restMs)
}

function ask(keys: readonly QueryKey[], afterMs: number): void {
  for (const key of keys) concerned.set(JSON.stringify(key), key)
  if (concerned.size > 0 && flushing === undefined) flushing = setTimeout(flush, afterMs)
}
