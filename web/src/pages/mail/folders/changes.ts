import { ApiError } from '../../../api/call.ts'
import { createFolder, deleteFolder, type ListFoldersResponse, renameFolder } from '../../../api/generated.ts'
import { mutate, queryClient } from '../../../app/query-client.ts'
import { refetch } from '../../../app/refetch.ts'
import { toasts } from '../../../parts/state/toasts.ts'
import { folderName } from '../../../parts/text/folder-name.ts'
import { someMessages } from '../../../parts/text/some-messages.ts'
import { sayUndone, undo, undoable } from '../../changes/undo.ts'
import { foldersQuery, mailKeys } from '../queries.ts'

type Folder = ListFoldersResponse['data'][number]

/** Whether a folder is another or within it. */
export const isWithin = (name: string, folder: string) => name === folder || name.startsWith(`${folder}/`)

/** Makes a folder, and answers its name as the service has it. @throws ApiError, of the field `name` if the name is not possible or
 *  taken */
export async function make(mailbox: string, name: string): Promise<string> {
  const known = queryClient.getQueryData(foldersQuery(mailbox).queryKey)?.data ?? []
  const made = await createFolder({ name }, { mailbox })
  if (known.some((one) => one.name === made.name)) {
    const message = `There is a folder ${folderName(made.name)} already`
    throw new ApiError(400, { code: 'invalid_request', field: 'name', message })
  }
  show(mailbox, (folders) => [...folders, made])
  return made.name
}

/** Renames a folder and those within it. Answers the new name. @throws ApiError */
export async function rename(mailbox: string, folder: string, to: string): Promise<string> {
  const { name } = await renameFolder(folder, { name: to }, { mailbox })
  show(mailbox, (folders) =>
    folders.map((one) => (isWithin(one.name, folder) ? { ...one, name: name + one.name.slice(folder.length) } : one)),
  )
  return name
}

/** Deletes a folder, after moving its mail. Offers to undo that. @throws ApiError */
export async function remove(mailbox: string, folder: string, moveTo: string | undefined): Promise<void> {
  try {
    const { moved, change_id } = await deleteFolder(folder, {
      mailbox,
      ...(moveTo !== undefined && { move_to: moveTo }),
    })
    show(mailbox, (folders) => folders.filter(({ name }) => name !== folder))
    const to = moveTo !== undefined && moved > 0 ? `, ${someMessages(moved)} moved to ${folderName(moveTo)}` : ''
    const back = async () => {
      if (change_id === null) await createFolder({ name: folder }, { mailbox })
      else sayUndone(await undo([change_id]))
    }
    const meta = { changes: mailKeys(mailbox) }
    const action = { name: 'Undo', run: () => void mutate({ mutationFn: back, meta }, undefined) }
    toasts.add({ text: `Folder ${folder} deleted${to}`, action }, { timeout: undoable })
  } finally {
    refetch([...mailKeys(mailbox), ['changes']])
  }
}

/** Shows the folders as they are now, until the service has said it. */
function show(mailbox: string, change: (folders: readonly Folder[]) => readonly Folder[]): void {
  const { queryKey } = foldersQuery(mailbox)
  queryClient.setQueryData<ListFoldersResponse>(queryKey, (held) => {
    if (!held) return held
    const folders = change(held.data)
    const others = folders.filter(({ role }) => role === null)
    const byName = others.toSorted((one, other) => (one.name < other.name ? -1 : 1))
    return { ...held, data: [...folders.filter(({ role }) => role !== null), ...byName] }
  })
  refetch(mailKeys(mailbox))
}
