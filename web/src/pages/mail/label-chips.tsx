import { useQuery } from '@tanstack/react-query'
import { LabelChip } from '../../parts/chip.tsx'
import { labelsQuery } from '../labels/queries.ts'

/** Labels by their keywords, in the order of the catalogue. Keywords of deleted labels are left out. */
export function LabelChips({ keywords }: { keywords: Iterable<string> }) {
  const labels = useQuery(labelsQuery).data?.data ?? []
  const worn = new Set(keywords)
  return labels
    .filter(({ keyword }) => worn.has(keyword))
    .map(({ keyword, name, colour }) => <LabelChip key={keyword} name={name} colour={colour} />)
}
