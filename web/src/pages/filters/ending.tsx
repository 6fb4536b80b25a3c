import type { FilterTrial, Label } from '../../api/generated.ts'
import { folderName } from '../../parts/text/folder-name.ts'
import { LabelChip } from '../../parts/text/label-chip.tsx'

interface Props {
  readonly result: FilterTrial['result']
  readonly labels: readonly (Label & { readonly own: boolean })[]
}

/** The effect of filters on a message. */
export function Ending({ result: { folder, labels, starred, unread }, labels: known }: Props) {
  return (
    <p>
      It ends in <strong>{folderName(folder)}</strong>
      {starred && ', starred'}
      {!unread && ', read'}.{' '}
      {known
        .filter(({ keyword }) => labels.includes(keyword))
        .map((label) => (
          <LabelChip key={label.keyword} {...label} />
        ))}
    </p>
  )
}
