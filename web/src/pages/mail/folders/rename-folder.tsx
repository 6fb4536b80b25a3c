import { useState } from 'react'
import { ActionDialog } from '../../../parts/form/action-dialog.tsx'
import { TextInput } from '../../../parts/form/text-input.tsx'
import { rename } from './changes.ts'
import { FiltersTo } from './filters-to.tsx'

interface Props {
  readonly mailbox: string
  readonly folder: string
  readonly hasInner: boolean
  readonly onRenamed: (name: string) => void
  readonly onClose: () => void
}

/** Asks for another name of a folder. */
export function RenameFolder({ mailbox, folder, hasInner, onRenamed, onClose }: Props) {
  const [name, setName] = useState(folder)
  return (
    <ActionDialog
      title={`Rename ${folder}`}
      about={
        <>
          {hasInner && <p>The folders within it go with it.</p>}
          <FiltersTo folder={folder} />
        </>
      }
      action="Rename"
      ready={name.trim() !== '' && name.trim() !== folder}
      fields={['name']}
      onSubmit={async () => onRenamed(await rename(mailbox, folder, name.trim()))}
      onClose={onClose}
    >
      <TextInput name="name" label="Name" value={name} onChange={setName} autoFocus />
    </ActionDialog>
  )
}
