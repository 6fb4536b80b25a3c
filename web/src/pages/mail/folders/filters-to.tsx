import { useQuery } from '@tanstack/react-query'
import { useMay } from '../../../session/may.ts'
import { filtersQuery } from '../../filters/queries.ts'

/** Says which filters move mail to a folder: they make it again. */
export function FiltersTo({ folder }: { folder: string }) {
  const mayRead = useMay('filters:read')
  const filters = useQuery({ ...filtersQuery, enabled: mayRead }).data ?? []
  const names = filters
    .filter(({ enabled, action, argument }) => enabled && action === 'move' && argument === folder)
    .map(({ name }) => name)
  if (names.length === 0) return null
  return (
    <p>
      Filters that move mail to {folder} make it again when they match: {names.join(', ')}.
    </p>
  )
}
