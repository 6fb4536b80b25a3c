import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { MeMailboxesItem } from '../api/generated.ts'
import { foldersQuery } from '../pages/mail/queries.ts'
import { Icon, type IconName } from '../parts/icon.tsx'
import { VisuallyHidden } from '../parts/state/visually-hidden.tsx'
import { folderName } from '../parts/text/folder-name.ts'
import { count } from '../parts/text/size.ts'
import styles from './shell.module.css'

const folderIcons: Readonly<Record<string, IconName>> = {
  inbox: 'inbox',
  sent: 'sent',
  drafts: 'write',
  archive: 'archive',
  junk: 'junk',
  trash: 'delete',
}

/** The mailboxes that the member reads, with their folders. */
export function MailNavigation({ mailboxes }: { mailboxes: readonly MeMailboxesItem[] }) {
  if (mailboxes.length === 0) return null
  return (
    <>
      <Link to="/search" className={`${styles.link}`}>
        <Icon name="search" />
        Search
      </Link>
      {mailboxes.map(({ address, kind }) => (
        <div key={address}>
          <p className={styles.group}>{address}</p>
          {kind === 'private' ? (
            <Link
              to="/mail/$mailbox/$folder"
              params={{ mailbox: address, folder: 'inbox' }}
              className={`${styles.link}`}
            >
              <Icon name="inbox" />
              Private mailbox
            </Link>
          ) : (
            <Folders mailbox={address} />
          )}
        </div>
      ))}
    </>
  )
}

function Folders({ mailbox }: { mailbox: string }) {
  const { data: folders } = useQuery(foldersQuery(mailbox))
  return (
    <ul>
      {(folders?.data ?? [{ name: 'inbox', unread: 0 }]).map(({ name, unread }) => (
        <li key={name}>
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
        </li>
      ))}
    </ul>
  )
}
