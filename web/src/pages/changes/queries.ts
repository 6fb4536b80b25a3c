import { queryOptions } from '@tanstack/react-query'
import { getChange } from '../../api/generated.ts'

/** A recorded change of messages. */
export const changeQuery = (id: string) =>
  queryOptions({ queryKey: ['changes', id], queryFn: ({ signal }) => getChange(id, { signal }) })
