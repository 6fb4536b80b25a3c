import { invalid, type Refusal } from '#/errors.ts'
import { readsAsItself, standardFolders } from '#/messages/folders/folder-name.ts'

/** The folders of a mailbox in the order of lists: the standard ones, then the others by name. */
export function inListOrder<F extends { readonly name: string }>(folders: readonly F[]): F[] {
  return folders.toSorted((a, b) => rank(a.name) - rank(b.name) || (a.name < b.name ? -1 : 1))
}

function rank(name: string): number {
  const at = (standardFolders as readonly string[]).indexOf(name)
  return at < 0 ? standardFolders.length : at
}

export function folderIsThere(name: string): Refusal {
  return invalid('folder', `There is a folder ${JSON.stringify(name)} already`)
}

/** Every listed name reads as itself, whoever creates the folder. @throws invalid */
export function assertReadable(name: string): void {
  if (readsAsItself(name)) return
  throw invalid(
    'folder',
    `No folder can be called ${JSON.stringify(name)}: that name is read as another, or not at all`,
  )
}

export function noSuchFolder(name: string): Refusal {
  return invalid('folder', `No folder ${JSON.stringify(name)} in this mailbox`)
}
