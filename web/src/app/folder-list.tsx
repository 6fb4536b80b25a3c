import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { folderActions, mailboxActions } from '../pages/mail/folders/actions.ts'
import type { Asked } from '../pages/mail/folders/asked.ts'
import { foldersQuery } from '../pages/mail/queries.ts'
import { useActions } from '../parts/actions/use-actions.ts'
import { Icon } from '../parts/icon.tsx'
import type { IconName } from '../parts/icons.ts'
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
  useActions(own ? folderActions(own.name) : [], mayChange ? ask : undefined)
  const making = useActions(mailboxActions(mailbox), mayChange ? ask : undefined)
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
        {making.map((action) => (
          <li key={action.name}>
            <button type="button" aria-label={action.name} className={styles.new} onClick={action.do}>
              <Icon name="add" />
              {action.short}
            </button>
          </li>
        ))}
      </ul>
      {asked && (
        <Part name="The dialog" onFailed={() => ask(undefined)}>
          <FolderDialogs mailbox={mailbox} asked={asked} onAsk={ask} onDone={focus} />
        </Part>
      )}
    </>
  )
}
