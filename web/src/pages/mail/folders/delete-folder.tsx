import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '../../../api/call.ts'
import { ActionDialog } from '../../../parts/form/action-dialog.tsx'
import { Choice } from '../../../parts/form/choice.tsx'
import { folderName } from '../../../parts/text/folder-name.ts'
import { count } from '../../../parts/text/size.ts'
import { someMessages } from '../../../parts/text/some-messages.ts'
import { foldersQuery } from '../queries.ts'
import { isWithin, remove } from './changes.ts'
import { FiltersTo } from './filters-to.tsx'

/** The most messages that move as their folder is deleted (docs/reference/messages.md#which-folders-are-there). */
const mostMoved = 5_000

interface Props {
  readonly mailbox: string
  readonly folder: string
  readonly onDeleted: () => void
  readonly onClose: () => void
}

/** Confirms before a folder is deleted, and asks where its mail goes. */
export function DeleteFolder({ mailbox, folder, onDeleted, onClose }: Props) {
  const { data: folders = [] } = useQuery(foldersQuery(mailbox)).data ?? {}
  const [moveTo, setMoveTo] = useState('archive')
  const total = folders.find(({ name }) => name === folder)?.total ?? 0
  const inner = folders.filter(({ name }) => name !== folder && isWithin(name, folder))
  if (inner.length > 0 || total > mostMoved)
    return (
      <ActionDialog
        title={`${folder} cannot be deleted yet`}
        about={
          inner.length > 0
            ? `There are folders within it: ${inner.map(({ name }) => name).join(', ')}. Delete or rename those first.`
            : `It has ${someMessages(total)}, and only a folder of at most ${count(mostMoved)} can be deleted. Move some of them first.`
        }
        action="Close"
        informs
        onSubmit={async () => {}}
        onClose={onClose}
      />
    )
  const submit = async () => {
    try {
      await remove(mailbox, folder, total > 0 ? moveTo : undefined)
    } catch (error) {
      if (total > 0 || !(error instanceof ApiError && error.field === 'move_to')) throw error
      throw new Error('Mail has come into it meanwhile. Choose where that goes', { cause: error })
    }
    onDeleted()
  }
  return (
    <ActionDialog
      title={`Delete ${folder}?`}
      about={
        <>
          {total > 0 ? (
            <p>
              It has {someMessages(total)}. They are kept in another folder, and can be taken back: at once, or for 30
              days under Recent changes.
            </p>
          ) : (
            <p>It is empty.</p>
          )}
          <FiltersTo folder={folder} />
        </>
      }
      action="Delete folder"
      danger
      fields={total > 0 ? ['move_to'] : []}
      onSubmit={submit}
      onClose={onClose}
    >
      {total > 0 && (
        <Choice
          name="move_to"
          label="Where its mail goes"
          value={moveTo}
          onChange={setMoveTo}
          options={folders
            .filter(({ name }) => name !== folder)
            .map(({ name }) => ({ id: name, name: folderName(name) }))}
        />
      )}
    </ActionDialog>
  )
}
