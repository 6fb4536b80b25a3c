import { useQuery } from '@tanstack/react-query'
import { Outlet, useParams } from '@tanstack/react-router'
import { startTransition, useEffect, useMemo, useState } from 'react'
import { afterPaint } from '../../parts/state/after-paint.ts'
import { Empty } from '../../parts/state/empty.tsx'
import { folderName } from '../../parts/text/folder-name.ts'
import { meQuery } from '../../session/me.ts'
import { ThreadList } from './list/thread-list.tsx'
import styles from './mail.module.css'
import { foldersQuery } from './queries.ts'

/** A folder of a mailbox: its conversations, and the open one beside them. */
export function Mail() {
  const { mailbox, folder } = useParams({ from: '/signed-in/mail/$mailbox/$folder' })
  const { message } = useParams({ strict: false })
  const own = useQuery(meQuery).data?.mailboxes.find(({ address }) => address === mailbox)
  const isPrivate = own?.kind === 'private'
  const folders = useQuery({ ...foldersQuery(mailbox), enabled: !isPrivate }).data?.data
  const place = useMemo(() => ({ mailbox, folder }), [mailbox, folder])
  const unread = folders?.find(({ name }) => name === folder)?.unread ?? 0
  useEffect(() => {
    document.title = `${unread > 0 ? `(${unread}) ` : ''}${folderName(folder)} · ${mailbox}`
  }, [unread, folder, mailbox])
  // The surroundings of the list are painted before it is rendered, so that no task of the browser is long.
  const [hasRoom, setHasRoom] = useState(false)
  useEffect(() => afterPaint(() => startTransition(() => setHasRoom(true))), [])
  // A conversation is first painted above the list, which gets its new width in a task of its own.
  const isOpen = message !== undefined
  const [hadOpen, setHadOpen] = useState(isOpen)
  useEffect(() => (isOpen ? afterPaint(() => setHadOpen(true)) : setHadOpen(false)), [isOpen])
  const isBeside = isOpen && hadOpen
  if (isPrivate)
    return (
      <Empty
        title="This mailbox is Private"
        about="Its mail is encrypted for its owner, and this service cannot read it. Open it with a mail program that has the key."
      />
    )
  if (folders && !folders.some(({ name }) => name === folder))
    return <Empty title={`There is no folder ${folder}`} about="It was renamed or deleted." />
  return (
    <div className={styles.mail} data-open={isOpen || undefined} data-beside={isBeside || undefined}>
      {hasRoom && <ThreadList key={`${mailbox} ${folder}`} place={place} opened={message} isBeside={isBeside} />}
      <Outlet />
    </div>
  )
}
