import { useState } from 'react'
import { changeLabel, createLabel, type Label } from '../../api/generated.ts'
import { LabelChip, type NamedColour, namedColours } from '../../parts/chip.tsx'
import { ActionDialog } from '../../parts/dialog.tsx'
import { Choice, TextInput } from '../../parts/field.tsx'
import { labelsChanged } from './queries.ts'

const colours = Object.keys(namedColours) as NamedColour[]

/** A new label, or another name and colour for one. */
export function LabelForm({ label, onClose }: { label: Label | undefined; onClose: () => void }) {
  const [name, setName] = useState(label?.name ?? '')
  const [colour, setColour] = useState<string>(label?.colour ?? 'slate')
  const offered = colours.some((one) => one === colour) ? colours : [colour, ...colours]
  const save = async () => {
    await (label ? changeLabel(label.id, { name, colour }) : createLabel({ name, colour }))
    await labelsChanged()
  }
  return (
    <ActionDialog
      title={label ? `Edit ${label.name}` : 'New label'}
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
        options={offered.map((one) => ({ id: one, name: one, shown: <LabelChip name={one} colour={one} /> }))}
      />
    </ActionDialog>
  )
}
