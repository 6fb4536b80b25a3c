import { useQuery } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import { Empty } from '../../parts/state/empty.tsx'
import { meQuery } from '../../session/me.ts'

/** Redirects to the inbox. */
export function FirstMailbox() {
  const { data: me } = useQuery(meQuery)
  if (!me) return null
  const first = me.mailboxes.find(({ kind }) => kind === 'smart') ?? me.mailboxes[0]
  if (first)
    return <Navigate to="/mail/$mailbox/$folder" params={{ mailbox: first.address, folder: 'inbox' }} replace />
  return (
    <Empty
      title="You have no mailbox yet"
      about="An owner or an admin of your organization makes one, and the operator gives it to you."
    />
  )
}
