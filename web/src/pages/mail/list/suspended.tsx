import { useQuery } from '@tanstack/react-query'
import { meQuery } from '../../../session/me.ts'
import styles from './thread-list.module.css'

/** Says that a mailbox is suspended, whose mail can still be read. */
export function Suspended({ mailbox }: { mailbox: string }) {
  const { data: me } = useQuery(meQuery)
  if (!me?.mailboxes.some(({ address, suspended }) => suspended && address === mailbox)) return null
  return (
    <p className={styles.suspended}>This mailbox is suspended: it receives and sends nothing until it is resumed.</p>
  )
}
