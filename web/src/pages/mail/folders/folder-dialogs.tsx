import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { toasts } from '../../../parts/state/toasts.ts'
import { foldersQuery } from '../queries.ts'
import type { Asked } from './asked.ts'
import { isWithin } from './changes.ts'
import { DeleteFolder } from './delete-folder.tsx'
import { FolderMenu } from './folder-menu.tsx'
import NewFolder from './new-folder.tsx'
import { RenameFolder } from './rename-folder.tsx'

interface Props {
  readonly mailbox: string
  readonly asked: Asked
  readonly onAsk: (asked: Asked | undefined) => void
  /** Called with the folder that the keyboard goes on from. */
  readonly onDone: (folder: string) => void
}

/** The menu of a folder, and what it opens. */
export default function FolderDialogs({ mailbox, asked, onAsk, onDone }: Props) {
  const navigate = useNavigate()
  const shown = useParams({ strict: false })
  const { data: folders = [] } = useQuery(foldersQuery(mailbox)).data ?? {}
  const { what, folder } = asked
  const onClose = () => onAsk(undefined)
  /** The page of a folder that is no longer there leads to another one. */
  const leave = (to: (name: string) => string) => {
    const { mailbox: of, folder: name = '' } = shown
    if (of !== mailbox || !isWithin(name, folder)) return
    void navigate({ to: '/mail/$mailbox/$folder', params: { mailbox, folder: to(name) }, replace: true })
  }
  switch (what) {
    case 'menu':
      return <FolderMenu folder={folder} button={asked.button} onClose={onClose} onChoose={onAsk} />
    case 'new':
      return (
        <NewFolder
          mailbox={mailbox}
          name={folder && `${folder}/`}
          onMade={(name) => toasts.add({ text: `Folder ${name} made` }, { timeout: 5_000 })}
          onClose={onClose}
        />
      )
    case 'rename':
      return (
        <RenameFolder
          mailbox={mailbox}
          folder={folder}
          hasInner={folders.some(({ name }) => name !== folder && isWithin(name, folder))}
          onRenamed={(name) => {
            leave((before) => name + before.slice(folder.length))
            onDone(name)
          }}
          onClose={onClose}
        />
      )
    case 'delete':
      return (
        <DeleteFolder
          mailbox={mailbox}
          folder={folder}
          onDeleted={() => {
            leave(() => 'inbox')
            onDone('inbox')
          }}
          onClose={onClose}
        />
      )
  }
}
