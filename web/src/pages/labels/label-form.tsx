import { useState } from 'react'
import { adoptOrphanLabel, type OrphanLabel } from '../../api/generated.ts'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import { Choice } from '../../parts/form/choice.tsx'
import { TextInput } from '../../parts/form/text-input.tsx'
import { LabelChip, type NamedColour, namedColours } from '../../parts/text/label-chip.tsx'
import { someMessages } from '../../parts/text/some-messages.ts'
import { labelRequests } from './catalogue.ts'
import { type AnyLabel, labelsQuery } from './queries.ts'

/** Of a name. */
const mostCharacters = 32
const colours = Object.keys(namedColours) as NamedColour[]

interface Props {
  readonly label: AnyLabel | undefined
  readonly own: boolean
  /** A keyword without a label, which the new label gets. */
  readonly orphan?: OrphanLabel
  readonly onClose: () => void
}

/** The name that a keyword may come from, unless mail programs have one for it. */
function nameOf({ keyword, suggested }: OrphanLabel): string {
  return suggested?.name ?? `${keyword.charAt(0).toUpperCase()}${keyword.slice(1).replaceAll('-', ' ')}`
}

/** Creates a label, for a keyword that messages have or for a new one, or changes its name and colour. */
export function LabelForm({ label, own, orphan, onClose }: Props) {
  const [name, setName] = useState(label?.name ?? (orphan ? nameOf(orphan).slice(0, mostCharacters) : ''))
  const [colour, setColour] = useState<string>(label?.colour ?? orphan?.suggested?.colour ?? 'slate')
  const offered = colours.some((one) => one === colour) ? colours : [colour, ...colours]
  const save = () => {
    const { create, change } = labelRequests(own)
    if (orphan) return adoptOrphanLabel({ keyword: orphan.keyword, name, colour })
    return label ? change(label.id, { name, colour }) : create({ name, colour })
  }
  const title = label
    ? `Edit ${label.name}`
    : orphan
      ? `A label for ${orphan.keyword}`
      : own
        ? 'New label of your own'
        : 'New label'
  return (
    <ActionDialog
      title={title}
      action={label ? 'Save' : 'Create'}
      ready={name.trim() !== ''}
      fields={['name', 'colour']}
      changes={[labelsQuery.queryKey]}
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
          label ? (
            <>
              Its keyword stays <code>{label.keyword}</code>, so messages keep it.
            </>
          ) : (
            orphan && `It is shown on ${someMessages(orphan.messages)} that you read.`
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
