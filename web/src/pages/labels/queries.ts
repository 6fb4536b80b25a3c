import { queryOptions } from '@tanstack/react-query'
import { listLabels } from '../../api/generated.ts'
import { queryClient } from '../../app/query-client.ts'

export const labelsQuery = queryOptions({ queryKey: ['labels'], queryFn: ({ signal }) => listLabels({ signal }) })

export const labelsChanged = () => queryClient.invalidateQueries({ queryKey: labelsQuery.queryKey })
