import { queryOptions } from '@tanstack/react-query'
import { listPasskeys, listSessions } from '../../api/generated.ts'
import { meQuery } from '../../session/me.ts'

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => listSessions(undefined, { signal }),
})

export const passkeysQuery = queryOptions({
  queryKey: ['passkeys'],
  queryFn: ({ signal }) => listPasskeys(undefined, { signal }),
})

/** What a new or removed passkey changes. */
export const changedWithPasskeys = [passkeysQuery.queryKey, meQuery.queryKey, sessionsQuery.queryKey]
