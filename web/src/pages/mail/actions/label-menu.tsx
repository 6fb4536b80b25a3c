import { useQuery } from '@tanstack/react-query'
import type { Ready } from '../../../parts/actions/action.ts'
import { LabelChip } from '../../../parts/text/label-chip.tsx'
import { labelsQuery, labelText } from '../../labels/queries.ts'
import { FilterMenu } from './filter-menu.tsx'
import type { Subject } from './subject.ts'

interface Props {
  readonly action: Ready
  readonly subjects: readonly Subject[]
  readonly isOpen: boolean
  readonly onOpen: (open: boolean) => void
  readonly onChoose: (label: { keyword: string; name: string }) => void
}

/** Adds or removes a label. */
export function LabelMenu({ action, subjects, isOpen, onOpen, onChoose }: Props) {
  const labels = useQuery(labelsQuery).data ?? []
  const noteOf = (keyword: string) => {
    const on = subjects.filter((one) => one.labels.has(keyword)).length
    return on === 0 ? undefined : on === subjects.length ? 'on' : 'on some'
  }
  return (
    <FilterMenu
      name="Label"
      action={action}
      isOpen={isOpen}
      onOpen={onOpen}
      choices={labels.map((label) => ({
        id: label.keyword,
        name: labelText(label),
        shown: <LabelChip {...label} />,
        note: noteOf(label.keyword),
      }))}
      onChoose={(keyword) => {
        const chosen = labels.find((one) => one.keyword === keyword)
        if (chosen) onChoose(chosen)
      }}
    />
  )
}
