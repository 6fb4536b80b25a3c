import { useState } from 'react'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import { Choice } from '../../parts/form/choice.tsx'
import { TextInput } from '../../parts/form/text-input.tsx'
import { LabelChip, type NamedColour, namedColours } from '../../parts/text/label-chip.tsx'
import { type AnyLabel, labelRequests, labelsChanged } from './queries.ts'

const colours = Object.keys(namedColours) as NamedColour[]

interface Props {
  readonly label: AnyLabel | undefined
  readonly own: boolean
  readonly onClose: () => void
}

/** Creates a label, or changes its name and colour. */
export function LabelForm({ label, own, onClose }: Props) {
  const [name, setName] = useState(label?.name ?? '')
  const [colour, setColour] = useState<string>(label?.colour ?? 'slate')
  const offered = colours.some((one) => one === colour) ? colours : [colour, ...colours]
  const save = async () => {
    const { create, change } = labelRequests(own)
    await (label ? change(label.id, { name, colour }) : create({ name, colour }))
    await labelsChanged()
  }
  return (
    <ActionDialog
      title={label ? `Edit ${label.name}` : own ? 'New label of your own' : 'New label'}
      action={label ? 'Save' : 'Create'}
      ready={name.trim() !== ''}
      fields={['name', 'colour']}
      onSubmit={save}
      onClose={onClose}
    >
      <TextInput
        name="name"
        label="Name"
        value={name}
        onChange={setName}
        autoFocus
        hint={
          label && (
            <>
              Its keyword stays <code>{label.keyword}</code>, so messages keep it.
            </>
          )
        }
      />
      <Choice
        name="colour"
        label="Colour"
        value={colour}
        onChange={setColour}
        options={offered.map((one) => ({ id: one, name: one, shown: <LabelChip name={one} colour={one} own={own} /> }))}
      />
    </ActionDialog>
  )
}
