import { queryOptions } from '@tanstack/react-query'
import { listPasskeys, listSessions } from '../../api/generated.ts'
import { queryClient } from '../../app/query-client.ts'
import { meChanged } from '../../session/me.ts'

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => listSessions(undefined, { signal }),
})

export const sessionsChanged = () => queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey })

export const passkeysQuery = queryOptions({
  queryKey: ['passkeys'],
  queryFn: ({ signal }) => listPasskeys(undefined, { signal }),
})

export const passkeysChanged = () => queryClient.invalidateQueries({ queryKey: passkeysQuery.queryKey })

/** The queries that a new or removed passkey changes. */
export const passkeyMadeOrGone = () => Promise.all([passkeysChanged(), meChanged(), sessionsChanged()])
