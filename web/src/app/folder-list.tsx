import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import type { Asked } from '../pages/mail/folders/asked.ts'
import { foldersQuery } from '../pages/mail/queries.ts'
import { Icon, type IconName } from '../parts/icon.tsx'
import { useCommands } from '../parts/keyboard/commands.ts'
import { afterPaint } from '../parts/state/after-paint.ts'
import { lazily } from '../parts/state/loading-parts.ts'
import { Part } from '../parts/state/part.tsx'
import { tip } from '../parts/state/tips.tsx'
import { VisuallyHidden } from '../parts/state/visually-hidden.tsx'
import { folderName } from '../parts/text/folder-name.ts'
import { count } from '../parts/text/size.ts'
import styles from './shell.module.css'

const FolderDialogs = lazily(() => import('../pages/mail/folders/folder-dialogs.tsx'))

const folderIcons: Readonly<Record<string, IconName>> = {
  inbox: 'inbox',
  sent: 'sent',
  drafts: 'write',
  archive: 'archive',
  junk: 'junk',
  trash: 'delete',
}

interface Props {
  readonly mailbox: string
  readonly mayChange: boolean
}

/** The folders of a mailbox, and what can be done with those that are not in every mailbox. */
export function FolderList({ mailbox, mayChange }: Props) {
  const folders = useQuery(foldersQuery(mailbox)).data?.data
  const [asked, ask] = useState<Asked>()
  const list = useRef<HTMLUListElement>(null)
  const shown = useParams({
    strict: false,
    select: ({ mailbox: of, folder }) => (of === mailbox ? folder : undefined),
  })
  const own = folders?.find(({ name, role }) => name === shown && role === null)
  const offer = (name: string, what: 'new' | 'rename' | 'delete', folder: string) => ({
    name,
    run: () => ask({ what, folder }),
  })
  const ofShown = own && [
    offer(`Rename the folder ${own.name}`, 'rename', own.name),
    offer(`Delete the folder ${own.name}`, 'delete', own.name),
  ]
  useCommands(mayChange ? [...(ofShown ?? []), offer(`New folder in ${mailbox}`, 'new', '')] : [])
  const focus = (folder: string) =>
    afterPaint(() => list.current?.querySelector<HTMLElement>(`[data-folder="${CSS.escape(folder)}"] a`)?.focus())
  return (
    <>
      <ul ref={list} className={mayChange ? styles.folders : undefined}>
        {(folders ?? [{ name: 'inbox', unread: 0, role: 'inbox' }]).map(({ name, unread, role }) => (
          <li key={name} data-folder={name}>
            <Link to="/mail/$mailbox/$folder" params={{ mailbox, folder: name }} className={`${styles.link}`}>
              <Icon name={folderIcons[name] ?? 'folder'} />
              <span className={styles.name}>{folderName(name)}</span>
              {unread > 0 && (
                <span className={styles.unread}>
                  {count(unread)}
                  <VisuallyHidden> unread</VisuallyHidden>
                </span>
              )}
            </Link>
            {mayChange && role === null && (
              <button
                type="button"
                {...tip(`Menu of ${name}`)}
                aria-haspopup="menu"
                aria-expanded={asked?.what === 'menu' && asked.folder === name}
                className={styles.more}
                onClick={({ currentTarget: button }) => ask({ what: 'menu', folder: name, button })}
              >
                <Icon name="more" />
              </button>
            )}
          </li>
        ))}
        {mayChange && (
          <li>
            <button
              type="button"
              aria-label={`New folder in ${mailbox}`}
              className={styles.new}
              onClick={() => ask({ what: 'new', folder: '' })}
            >
              <Icon name="add" />
              New folder
            </button>
          </li>
        )}
      </ul>
      {asked && (
        <Part name="The dialog" onFailed={() => ask(undefined)}>
          <FolderDialogs mailbox={mailbox} asked={asked} onAsk={ask} onDone={focus} />
        </Part>
      )}
    </>
  )
}
