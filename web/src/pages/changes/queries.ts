import { queryOptions } from '@tanstack/react-query'
import { showChange } from '../../api/generated.ts'

/** A recorded change of messages. */
export const changeQuery = (id: string) =>
  queryOptions({ queryKey: ['changes', id], queryFn: ({ signal }) => showChange(id, { signal }) })
