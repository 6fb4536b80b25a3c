import { useQuery } from '@tanstack/react-query'
import { KeywordChip } from '../../parts/text/keyword-chip.tsx'
import { LabelChip } from '../../parts/text/label-chip.tsx'
import { labelsQuery } from '../labels/queries.ts'

/** Labels by keyword, in the order of the catalogue, then keywords without a label: those were deleted. */
export function LabelChips({ keywords }: { keywords: Iterable<string> }) {
  const labels = useQuery(labelsQuery).data
  if (!labels) return null
  const worn = new Set(keywords)
  const shown = labels.filter(({ keyword }) => worn.delete(keyword))
  return (
    <>
      {shown.map((label) => (
        <LabelChip key={label.keyword} {...label} />
      ))}
      {[...worn].map((keyword) => (
        <KeywordChip key={keyword} keyword={keyword} />
      ))}
    </>
  )
}
