import { queryOptions } from '@tanstack/react-query'
import { type Domain, listDomains } from '../../api/generated.ts'

const isWaiting = ({ status, outstanding }: Domain) => status === 'pending' || outstanding > 0

/** Refreshed every ten seconds while a check may change it. */
export const domainsQuery = queryOptions({
  queryKey: ['domains'],
  queryFn: ({ signal }) => listDomains(undefined, { signal }),
  refetchInterval: ({ state }) => (state.data?.data.some(isWaiting) ? 10_000 : false),
})
