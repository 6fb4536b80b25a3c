import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { ApiError } from '../../api/call.ts'
import { showSignInLink } from '../../api/generated.ts'
import { plain } from '../../parts/text/plain.ts'
import { meQuery } from '../../session/me.ts'
import styles from './sign-in.module.css'

interface Props {
  readonly link: string
  /** Called once it is said whom the link signs in, and whose session ends, if one does. */
  readonly onSaid: (endsSession: boolean) => void
  readonly onFailed: (error: Error) => void
}

/** Says whose account a link opens, and whose session it ends: it may have been sent by somebody else. */
export function ArrivedLink({ link, onSaid, onFailed }: Props) {
  const holder = useQuery({
    queryKey: ['sign-in link', link],
    queryFn: () => showSignInLink({ link }),
    retry: false,
    gcTime: 0,
  })
  const me = useQuery({ ...meQuery, retry: false })
  const isSaid = holder.data !== undefined && !me.isPending
  const endsSession = me.data !== undefined
  const failure = holder.error
  useEffect(() => {
    if (isSaid) onSaid(endsSession)
    if (failure) onFailed(failure instanceof ApiError ? failure : new Error(String(failure)))
  }, [isSaid, endsSession, failure, onSaid, onFailed])
  if (!isSaid) return <p className={styles.about}>Looking at your link…</p>
  const { email, name, organization } = holder.data
  return (
    <>
      <p className={styles.about}>
        Your link signs you in on this browser as <strong>{plain(name) || plain(email)}</strong> ({plain(email)}) of{' '}
        {plain(organization)}. It works once.
      </p>
      {me.data && (
        <p role="alert" className={styles.failure}>
          You are signed in as {plain(me.data.email)} of {plain(me.data.organization.name)}. That session ends. Go on
          only if you expected this link.
        </p>
      )}
    </>
  )
}
