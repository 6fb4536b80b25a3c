import { Link } from '@tanstack/react-router'
import type { MeMailboxesItem } from '../api/generated.ts'
import { Icon } from '../parts/icon.tsx'
import { FolderList } from './folder-list.tsx'
import styles from './shell.module.css'

/** The mailboxes that the member reads, with their folders. */
export function MailNavigation({ mailboxes }: { mailboxes: readonly MeMailboxesItem[] }) {
  if (mailboxes.length === 0) return null
  return (
    <>
      <Link to="/search" className={`${styles.link}`}>
        <Icon name="search" />
        Search
      </Link>
      {mailboxes.map(({ address, kind, level }) => (
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
            <FolderList mailbox={address} mayChange={level !== 'read'} />
          )}
        </div>
      ))}
    </>
  )
}
