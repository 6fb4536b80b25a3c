import type { Action } from '../../../parts/actions/action.ts'
import type { Asked } from './asked.ts'

type Ask = (asked: Asked) => void

/** What can be done with a folder that is not in every mailbox. */
export const folderActions = (folder: string): readonly Action<Ask>[] => [
  { name: `Rename the folder ${folder}`, short: 'Rename', do: (ask) => ask({ what: 'rename', folder }) },
  { name: `New folder within ${folder}`, short: 'New folder within it', do: (ask) => ask({ what: 'new', folder }) },
  { name: `Delete the folder ${folder}`, short: 'Delete', do: (ask) => ask({ what: 'delete', folder }) },
]

export const mailboxActions = (mailbox: string): readonly Action<Ask>[] => [
  { name: `New folder in ${mailbox}`, short: 'New folder', do: (ask) => ask({ what: 'new', folder: '' }) },
]
