import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Ready } from '../../../parts/actions/action.ts'
import { folderName } from '../../../parts/text/folder-name.ts'
import type { Place } from '../place.ts'
import { foldersQuery } from '../queries.ts'
import { FilterMenu } from './filter-menu.tsx'

interface Props {
  readonly action: Ready
  readonly place: Place
  readonly isOpen: boolean
  readonly onOpen: (open: boolean) => void
  readonly onChoose: (folder: string) => void
  /** Called for a folder that is not there yet, with its name if one is typed. */
  readonly onNew: (name: string) => void
}

/** No folder has this name. */
const another = '/'

/** The target of a move: another folder of the mailbox, or a new one with the typed name. */
export function MoveMenu({ action, place, isOpen, onOpen, onChoose, onNew }: Props) {
  const [typed, type] = useState('')
  const folders = useQuery(foldersQuery(place.mailbox)).data?.data ?? []
  const choices = folders
    .filter(({ name }) => name !== place.folder)
    .map(({ name }) => ({ id: name, name: folderName(name), shown: folderName(name) }))
  const wanted = typed.trim()
  const isNew = wanted !== '' && !folders.some(({ name }) => folderName(name).toLowerCase() === wanted.toLowerCase())
  return (
    <FilterMenu
      name="Move"
      action={action}
      isOpen={isOpen}
      onOpen={(open) => {
        type('')
        onOpen(open)
      }}
      typed={{ value: typed, onChange: type }}
      choices={[
        ...choices,
        isNew
          ? { id: another, name: wanted, shown: `New folder ${wanted}` }
          : { id: another, name: 'New folder…', shown: 'New folder…' },
      ]}
      onChoose={(id) => (id === another ? onNew(isNew ? wanted : '') : onChoose(id))}
    />
  )
}
