import type { QueryKey } from '@tanstack/react-query'
import { queryClient } from './query-client.ts'

/** The least time between two refreshes, in milliseconds, however much changes. */
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

/** Refreshes these queries: at once, or a moment later if that was done just now. */
export function refetch(keys: readonly QueryKey[]): void {
  schedule(keys, Math.max(0, flushedAt + restMs - Date.now()))
}

/** The same for data that is shown in its new state already: together with the queries of the change's events. */
export function refetchSoon(keys: readonly QueryKey[]): void {
  schedule(keys, restMs)
}

function schedule(keys: readonly QueryKey[], afterMs: number): void {
  for (const key of keys) concerned.set(JSON.stringify(key), key)
  if (concerned.size > 0 && flushing === undefined) flushing = setTimeout(flush, afterMs)
}
