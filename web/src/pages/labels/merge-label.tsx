import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { mergeLabel } from '../../api/generated.ts'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import { Choice } from '../../parts/form/choice.tsx'
import { LabelChip } from '../../parts/text/label-chip.tsx'
import { count } from '../../parts/text/size.ts'
import { someMessages } from '../../parts/text/some-messages.ts'
import { sayChanged } from '../changes/say-changed.tsx'
import { filtersQuery } from '../filters/queries.ts'
import { labelCountsQuery } from './catalogue.ts'
import { type AnyLabel, labelsQuery } from './queries.ts'

/** Of the filters that the member sees. */
function filtersWith(number: number, label: string): string {
  if (number === 0) return `No filter that you see puts ${label} on.`
  return `${filterCount(number)} that you see ${number === 1 ? 'puts' : 'put'} ${label} on.`
}

const filterCount = (number: number) => (number === 1 ? '1 filter' : `${count(number)} filters`)

interface Props {
  readonly label: AnyLabel
  /** The organization's other labels. */
  readonly others: readonly AnyLabel[]
  readonly onClose: () => void
}

/** Merges a label of the organization into another one. */
export function MergeLabel({ label: { id, name, keyword }, others, onClose }: Props) {
  const [chosen, choose] = useState(others[0]?.id ?? '')
  // Others may delete it meanwhile.
  const into = others.find((other) => other.id === chosen)?.name ?? 'the other one'
  const borne = useQuery(labelCountsQuery).data?.get(id)?.messages
  const filters = useQuery(filtersQuery).data?.filter(
    ({ action, argument }) => action === 'label' && argument === keyword,
  )
  const merge = async () => {
    const { change_id, filters: moved, label } = await mergeLabel(id, { into: chosen })
    const also = moved === 0 ? '' : `, and in ${filterCount(moved)}`
    void sayChanged(change_id, {
      doing: `Merging ${name} into ${label.name}`,
      done: (what) => `${label.name} replaces ${name} on ${what}${also}`,
    })
  }
  return (
    <ActionDialog
      title={`Merge ${name} into another label`}
      about={`${name} is deleted. Undo puts its keyword back on messages, not the label and the filters.`}
      action="Merge labels"
      danger
      ready={chosen !== ''}
      fields={['into']}
      changes={[labelsQuery.queryKey, filtersQuery.queryKey]}
      onSubmit={merge}
      onClose={onClose}
    >
      <Choice
        name="into"
        label="The label that stays"
        value={chosen}
        onChange={choose}
        options={others.map((other) => ({ id: other.id, name: other.name, shown: <LabelChip {...other} /> }))}
      />
      <p>
        {borne === 0 && `No message that you read has ${name}. `}
        {typeof borne === 'number' && borne > 0 && `${name} is on ${someMessages(borne)} that you read. `}
        Messages get {into} instead, in mailboxes that you may change.
      </p>
      <p>
        {filters !== undefined && `${filtersWith(filters.length, name)} `}
        Filters that do, also those of other members, put {into} on from then on.
      </p>
    </ActionDialog>
  )
}
