import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Filter } from '../../api/generated.ts'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import { Choice } from '../../parts/form/choice.tsx'
import { TextInput } from '../../parts/form/text-input.tsx'
import { LabelChip } from '../../parts/text/label-chip.tsx'
import { labelsQuery, labelText } from '../labels/queries.ts'
import styles from './filters.module.css'
import { type AnyFilter, filterRequests, filtersQuery } from './queries.ts'

const fields = [
  { id: 'from', name: 'From' },
  { id: 'to', name: 'To' },
  { id: 'subject', name: 'Subject' },
] as const
const operators = [
  { id: 'contains', name: 'contains' },
  { id: 'is', name: 'is' },
] as const
const actions = [
  { id: 'label', name: 'Label it' },
  { id: 'move', name: 'Move it' },
  { id: 'star', name: 'Star it' },
  { id: 'read', name: 'Mark it read' },
] as const

interface Props {
  readonly filter: AnyFilter | undefined
  /** Whether a new filter is the member's own. */
  readonly own: boolean
  /** The sender that a new filter matches. */
  readonly from?: string | undefined
  readonly onClose: () => void
}

/** Creates or changes a filter. */
export function FilterForm({ filter, own, from, onClose }: Props) {
  const labels = (useQuery(labelsQuery).data ?? []).filter((label) => own || !label.own)
  const [name, setName] = useState(filter?.name ?? from ?? '')
  const [field, setField] = useState<Filter['field']>(filter?.field ?? 'from')
  const [op, setOp] = useState<Filter['op']>(filter?.op ?? (from === undefined ? 'contains' : 'is'))
  const [value, setValue] = useState(filter?.value ?? from ?? '')
  const [action, setAction] = useState<Filter['action']>(filter?.action ?? 'label')
  const [folder, setFolder] = useState(filter?.action === 'move' ? (filter.argument ?? '') : 'archive')
  const [chosen, choose] = useState(filter?.action === 'label' ? (filter.argument ?? undefined) : undefined)
  const label = chosen ?? labels[0]?.keyword
  const argument = action === 'label' ? (label ?? null) : action === 'move' ? folder.trim() : null
  const save = () => {
    const rule = { name, field, op, value, action, argument }
    const { create, change } = filterRequests(own)
    return filter ? change(filter.id, rule) : create(rule)
  }
  return (
    <ActionDialog
      title={filter ? `Edit the filter ${filter.name}` : own ? 'New filter of your own' : 'New filter'}
      action={filter ? 'Save' : 'Create'}
      ready={
        name.trim() !== '' && value.trim() !== '' && argument !== '' && (action !== 'label' || label !== undefined)
      }
      fields={['name', 'field', 'op', 'value', 'action', 'argument']}
      changes={[filtersQuery.queryKey]}
      onSubmit={save}
      onClose={onClose}
    >
      <TextInput name="name" label="Name" value={name} onChange={setName} autoFocus />
      <div className={styles.pair}>
        <Choice name="field" label="If" value={field} onChange={setField} options={fields} />
        <Choice name="op" label="Comparison" value={op} onChange={setOp} options={operators} />
      </div>
      <TextInput
        name="value"
        label="Text"
        value={value}
        onChange={setValue}
        maxLength={120}
        hint="Upper and lower case are the same. It is text, never a pattern."
      />
      <Choice name="action" label="Then" value={action} onChange={setAction} options={actions} />
      {action === 'label' && label !== undefined && (
        <Choice
          name="argument"
          label="Label"
          value={label}
          onChange={choose}
          options={labels.map((one) => ({ id: one.keyword, name: labelText(one), shown: <LabelChip {...one} /> }))}
        />
      )}
      {action === 'label' && label === undefined && <p>There are no labels yet: create one on the page Labels.</p>}
      {action === 'move' && (
        <TextInput
          name="argument"
          label="Folder"
          value={folder}
          onChange={setFolder}
          hint="inbox, archive, junk, trash or a path such as Projects/Apollo. A mailbox without it gets it."
        />
      )}
    </ActionDialog>
  )
}
